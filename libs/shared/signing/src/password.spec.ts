import { describe, expect, it } from '@jest/globals';
import { hashPassword, isPassword } from './password.js';

describe('a password', () => {
  it('matches its stored hash, and no other password does', async () => {
    const kept = await hashPassword('tamu sana');
    expect(kept).toMatch(/^scrypt\$16384\$8\$1\$/);
    expect(kept).not.toContain('tamu');
    expect(await isPassword('tamu sana', kept)).toBe(true);
    expect(await isPassword('tamu sana ', kept)).toBe(false);
    expect(await isPassword('', kept)).toBe(false);
  });

  it('is stored with its own salt', async () => {
    expect(await hashPassword('x')).not.toBe(await hashPassword('x'));
  });

  it('without a stored hash never matches', async () => {
    expect(await isPassword('', undefined)).toBe(false);
  });

  it('is not compared with an invalid hash', async () => {
    await expect(isPassword('x', 'x')).rejects.toThrow(TypeError);
  });
});
