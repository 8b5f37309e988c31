import { type KeyService } from './key-service.js';
import { givenSettings } from './secret-files.js';
import { SettingsError } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A key of MASTER_KEY that a key service encrypted: `id:aws-kms:base64`. */
const wrapped = /^([A-Za-z0-9_-]{1,32}):aws-kms:([A-Za-z0-9+/]+={0,2})$/;

/**
 * Replaces the keys of MASTER_KEY that a key service encrypted by the keys themselves, which then exist only in this
 * process's memory (OPS-16). Without such a key it calls nothing.
 * @param open opens the key service; AWS KMS by default
 * @throws SettingsError if the service refuses a key or does not answer
 */
export async function unwrappedEnvironment(
  env: Environment,
  open: () => Promise<KeyService> = openKeyService,
): Promise<Environment> {
  // Problems of files are reported with all others by `loadSettings`.
  const { MASTER_KEY: text = '' } = givenSettings(env, []) as { MASTER_KEY?: string };
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.some((part) => wrapped.test(part))) return env;
  const service = await open();
  const keys: string[] = [];
  for (const part of parts) {
    const [, id, blob] = wrapped.exec(part) ?? [];
    keys.push(id === undefined || blob === undefined ? part : await unwrap(service, id, blob));
  }
  const { MASTER_KEY_FILE: _, ...others } = env;
  return { ...others, MASTER_KEY: keys.join(',') };
}

async function unwrap(service: KeyService, id: string, blob: string): Promise<string> {
  try {
    const bytes = await service.decrypt(Buffer.from(blob, 'base64'), id);
    return `${id}:${Buffer.from(bytes).toString('base64')}`;
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new SettingsError([`MASTER_KEY: AWS KMS did not decrypt the key "${id}" (${why})`]);
  }
}

/** Opens AWS KMS, whose package is loaded only here. */
async function openKeyService(): Promise<KeyService> {
  const { AwsKms } = await import('./aws-kms.js');
  return new AwsKms();
}

/**
 * Encrypts a master key with the key service.
 * @param bytes the key; if undefined, the service makes a new one that this process never sees
 * @returns the key as MASTER_KEY takes it
 */
export async function wrapMasterKey(
  {
    id,
    kmsKey,
    bytes,
  }: { readonly id: string; readonly kmsKey: string; readonly bytes: Buffer | undefined },
  open: () => Promise<KeyService> = openKeyService,
): Promise<string> {
  const service = await open();
  const blob = await service.encrypt(kmsKey, id, bytes);
  return `${id}:aws-kms:${Buffer.from(blob).toString('base64')}`;
}
