import { checkMasterKey, type SealedTable } from '#adapters/keys';
import { type WebhookEndpointKey, WebhookSecrets } from '#domain/merchants';
import { type Database } from '#infra/postgres';
import { type Keyring, newSecret } from '#shared/signing';

const rotationHours = 24;
const endPresent = `
  update records.webhook_secrets set ends_at = records.now_() + $4 * interval '1 hour'
    where merchant_id = $1 and mode = $2 and kind = $3 and ends_at is null`;
const insert = `
  insert into records.webhook_secrets (merchant_id, mode, kind, secret_id, key_id, ciphertext)
  values ($1, $2, $3, $4, $5, $6)`;

export const webhookSecretLabel = 'webhook_secret';

/** The row is part of what is sealed: a ciphertext moved to another endpoint does not open. */
export const sealedWebhookSecrets: SealedTable = {
  table: 'webhook_secrets',
  idColumn: 'secret_id',
  idType: 'uuid',
  label: () => webhookSecretLabel,
  aad: (secretId) => secretId,
  underDataKey: false,
};

/** The secrets of endpoints, sealed in the records: each attempt signs with them. */
export class RecordedWebhookSecrets extends WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async make(endpoint: WebhookEndpointKey, secretId: string): Promise<string> {
    // Under a key that the service does not have, nobody could ever read it again.
    await checkMasterKey(this.database, this.keyring);
    const secret = newSecret();
    const { keyId, ciphertext } = this.keyring.seal(webhookSecretLabel, secret, secretId);
    const { merchantId, mode, kind } = endpoint;
    await this.database.transaction(async (transaction) => {
      await transaction.query(endPresent, [merchantId, mode, kind, rotationHours]);
      const bytes = Buffer.from(ciphertext, 'base64');
      await transaction.query(insert, [merchantId, mode, kind, secretId, keyId, bytes]);
    });
    return secret;
  }
}
