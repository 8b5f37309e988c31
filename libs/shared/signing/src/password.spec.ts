import { describe, expect, it } from '@jest/globals';
import { hashPassword, isPassword } from './password.js';

describe('a password', () => {
  it('is known again by what is kept of it, and nothing else is', async () => {
    const kept = await hashPassword('tamu sana');
    expect(kept).toMatch(/^scrypt\$16384\$8\$1\$/);
    expect(kept).not.toContain('tamu');
    expect(await isPassword('tamu sana', kept)).toBe(true);
    expect(await isPassword('tamu sana ', kept)).toBe(false);
    expect(await isPassword('', kept)).toBe(false);
  });

  it('is kept under a salt of its own', async () => {
    expect(await hashPassword('x')).not.toBe(await hashPassword('x'));
  });

  it('of nobody is never right', async () => {
    expect(await isPassword('', undefined)).toBe(false);
  });

  it('is not compared with what is no hash', async () => {
    await expect(isPassword('x', 'x')).rejects.toThrow(TypeError);
  });
});
