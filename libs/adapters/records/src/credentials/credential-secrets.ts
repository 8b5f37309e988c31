import { randomBytes } from 'node:crypto';
import { CredentialSecrets } from '#domain/merchants';
import { hashSecret, type Keyring, newSecret } from '#shared/signing';
import { type Database } from '#infra/postgres';
import {
  insertClientSecret,
  insertLinkSecret,
  revokeCredentialRecords,
  setCredentialRanges,
} from './access-tokens.js';
import { sealLinkSecret } from './link-secrets.js';
import { checkMasterKey } from '../keys/master-key-check.js';

/** Secrets of credentials in the records: digests where a caller shows the secret, ciphertexts where it hashes with it. */
export class RecordedCredentialSecrets extends CredentialSecrets {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async issue(credentialId: string): Promise<{ clientId: string; clientSecret: string }> {
    const clientId = `pp_${randomBytes(12).toString('base64url')}`;
    const clientSecret = newSecret();
    const secretHash = hashSecret(clientSecret);
    await insertClientSecret(this.database, { clientId, credentialId, secretHash });
    return { clientId, clientSecret };
  }

  override async keepLinkSecret(credentialId: string, secret = newSecret()): Promise<string> {
    // Under a key that the service does not have, nobody could ever read it again.
    await checkMasterKey(this.database, this.keyring);
    await insertLinkSecret(this.database, sealLinkSecret(this.keyring, credentialId, secret));
    return secret;
  }

  override async allowFrom(credentialId: string, ipRanges: readonly string[]): Promise<void> {
    await setCredentialRanges(this.database, credentialId, ipRanges);
  }

  override async revoke(credentialId: string): Promise<void> {
    await revokeCredentialRecords(this.database, credentialId);
  }
}
