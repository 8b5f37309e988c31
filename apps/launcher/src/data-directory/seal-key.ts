import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { StartRefused } from '../refusal.js';
import { type DataDirectory } from './data-directory.js';

const fileName = 'audit-seal-key.pem';

/**
 * Returns AUDIT_SEAL_KEY: the setting, else the file's key, else a new one.
 * @throws StartRefused if the file holds no key
 */
export async function sealKeyOf(
  directory: DataDirectory,
  setting: string | undefined,
): Promise<string> {
  if (setting !== undefined) return setting;
  const kept = await directory.read(fileName);
  if (kept === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await directory.writeSecret(fileName, pem);
    return pem;
  }
  if (!isEd25519(kept))
    throw new StartRefused(
      `AUDIT_SEAL_KEY: ${directory.join(fileName)} is damaged: put the key back that it held`,
    );
  return kept;
}

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}
