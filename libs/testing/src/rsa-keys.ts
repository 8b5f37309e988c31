import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A merchant's new key pair, in the form of its files. */
export function rsaKeys(modulusLength = 2048): {
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}

/**
 * Gives `use` a new key pair whose public half is in a file, as the command line requires. The file is deleted
 * afterwards.
 */
export async function withKeyFile<T>(
  use: (publicKeyFile: string, privateKeyPem: string) => Promise<T>,
): Promise<T> {
  const { publicKeyPem, privateKeyPem } = rsaKeys();
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-key-'));
  try {
    const file = join(directory, 'public.pem');
    await writeFile(file, publicKeyPem);
    return await use(file, privateKeyPem);
  } finally {
    await rm(directory, { recursive: true });
  }
}
