import { createSecretKey, type KeyObject } from 'node:crypto';
import { LinkSecrets } from '#views/merchants';
import { type Keyring } from '#shared/signing';
import { type Queryable } from '#infra/postgres';
import { findLinkSecrets, type LinkSecret } from './access-tokens.js';

export const linkSecretLabel = 'link_secret';

/** The row is part of what is sealed: a ciphertext moved to another credential does not open. */
export function sealLinkSecret(keyring: Keyring, credentialId: string, secret: string): LinkSecret {
  const { keyId, ciphertext } = keyring.seal(linkSecretLabel, secret, credentialId);
  return { credentialId, keyId, ciphertext: Buffer.from(ciphertext, 'base64') };
}

/** The secrets with which credentials hash links, as ciphertexts in the records. */
export class RecordedLinkSecrets extends LinkSecrets {
  constructor(
    private readonly database: Queryable,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async find(credentialIds: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
    if (credentialIds.length === 0) return new Map();
    const found = await findLinkSecrets(this.database, credentialIds);
    return new Map(
      found.map(({ credentialId, keyId, ciphertext }) => {
        const bytes = this.keyring.openBytes(linkSecretLabel, keyId, ciphertext, credentialId);
        return [credentialId, createSecretKey(bytes)];
      }),
    );
  }
}
