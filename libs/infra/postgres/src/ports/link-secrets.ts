import { createSecretKey, type KeyObject } from 'node:crypto';
import { type Keyring } from '#shared/signing';
import { type Queryable } from '../database.js';
import { findLinkSecrets, type LinkSecret } from '../records/credentials.js';

export const linkSecretLabel = 'link_secret';

/** The row is part of what is sealed: a ciphertext moved to another credential does not open. */
export function sealLinkSecret(keyring: Keyring, credentialId: string, secret: string): LinkSecret {
  const { keyId, ciphertext } = keyring.seal(linkSecretLabel, secret, credentialId);
  return { credentialId, keyId, ciphertext: Buffer.from(ciphertext, 'base64') };
}

/** The secrets with which credentials hash links, ready to hash with. */
export class LinkSecrets {
  constructor(
    private readonly database: Queryable,
    private readonly keyring: Keyring,
  ) {}

  /**
   * @returns by credential id; a credential that was revoked, or never had one, is missing
   * @throws DependencyUnavailable, UnopenableCiphertext
   */
  async find(credentialIds: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
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
