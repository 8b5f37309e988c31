import { randomBytes } from 'node:crypto';
import { CredentialSecrets } from '#merchants';
import { hashSecret, newSecret } from '#signing';
import { type Database } from '../database.js';
import { insertClientSecret, revokeCredentialRecords } from '../records/credentials.js';

/** Secrets of credentials as digests in the records. */
export class RecordedCredentialSecrets extends CredentialSecrets {
  constructor(private readonly database: Database) {
    super();
  }

  override async issue(credentialId: string): Promise<{ clientId: string; clientSecret: string }> {
    const clientId = `pp_${randomBytes(12).toString('base64url')}`;
    const clientSecret = newSecret();
    const secretHash = hashSecret(clientSecret);
    await insertClientSecret(this.database, { clientId, credentialId, secretHash });
    return { clientId, clientSecret };
  }

  override async revoke(credentialId: string): Promise<void> {
    await revokeCredentialRecords(this.database, credentialId);
  }
}
