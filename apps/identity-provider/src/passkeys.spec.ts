import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxPasskeys, type Passkey, Passkeys } from './passkeys.js';

describe('passkeys', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pesapost-passkeys-'));
    file = join(directory, 'passkeys.json');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const passkey = (id: string, subject = 'subject-1'): Passkey => ({
    id,
    subject,
    public_key: 'a2V5',
    counter: 0,
    added_at: '2026-11-22T10:00:00.000Z',
  });

  it('are kept for this user alone, and are there at the next start', async () => {
    const first = await Passkeys.open(file);
    expect(first.isEmpty).toBe(true);
    await Promise.all(['a', 'b', 'c'].map((id) => first.add(passkey(id))));
    await first.used(passkey('b'), 7);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const second = await Passkeys.open(file);
    expect(second.of('subject-1').map(({ id, counter }) => [id, counter])).toEqual([
      ['a', 0],
      ['b', 7],
      ['c', 0],
    ]);
    expect(second.of('subject-2')).toEqual([]);
  });

  it('are one person’s each, and bounded', async () => {
    const kept = await Passkeys.open(file);
    await kept.add(passkey('a'));
    expect(await kept.add(passkey('a', 'subject-2'))).toBe(false);
    for (let more = 1; more < maxPasskeys; more += 1) await kept.add(passkey(`more ${more}`));
    expect(await kept.add(passkey('too many'))).toBe(false);
    expect(await kept.add(passkey('another', 'subject-2'))).toBe(true);
  });

  it.each(['{', '{}', '[{"id":"a"}]'])('are not read from a damaged file: %s', async (text) => {
    await writeFile(file, text);
    await expect(Passkeys.open(file)).rejects.toThrow(file);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
