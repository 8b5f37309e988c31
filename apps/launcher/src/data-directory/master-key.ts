import { randomBytes } from 'node:crypto';
import { generatedKeyId, parseMasterKeys } from '#infra/runtime';
import { StartRefused } from '../refusal.js';
import { type DataDirectory } from './data-directory.js';

const fileName = 'master.key';

/** MASTER_KEY as text, and a way to undo its creation if the data turns out to have another key. */
export interface OwnMasterKey {
  readonly text: string;
  readonly forget: () => Promise<void>;
}

/**
 * Returns the setting, else the file's key, else a new one. A new key is on disk before anything is written under it.
 * @throws StartRefused if the file holds no key
 */
export async function masterKeyOf(
  directory: DataDirectory,
  setting: string | undefined,
): Promise<OwnMasterKey> {
  const keep = () => Promise.resolve();
  if (setting !== undefined && setting.trim() !== '') return { text: setting, forget: keep };
  const kept = (await directory.read(fileName))?.trim();
  if (kept === undefined) {
    const text = `${generatedKeyId}:${randomBytes(32).toString('base64')}`;
    await directory.writeSecret(fileName, `${text}\n`);
    return { text, forget: () => directory.remove(fileName) };
  }
  const keys = parseMasterKeys(kept);
  if ('problem' in keys)
    throw new StartRefused(
      `MASTER_KEY: ${directory.join(fileName)} is damaged (${keys.problem}): put the key back that it held`,
    );
  return { text: kept, forget: keep };
}
