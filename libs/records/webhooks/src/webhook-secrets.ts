import { createSecretKey, type KeyObject } from 'node:crypto';
import { checkMasterKey, type SealedTable } from '#records/keys';
import { type Mode } from '#domain/kernel';
import { type WebhookEndpointKey, type WebhookKind, WebhookSecrets } from '#domain/merchants';
import { type Database } from '#infra/postgres';
import { AnnouncedCache } from '#infra/runtime';
import { type Keyring, newSecret } from '#shared/signing';
import { listCredentials } from '#views/merchants';

/** The consumer key of a V3 credential. */
export interface ConsumerKey {
  readonly credentialId: string;
  /** The key's UTF-8 bytes. */
  readonly key: KeyObject;
}

const rotationHours = 24;
const insert = `
  insert into records.webhook_secrets (merchant_id, mode, kind, secret_id, key_id, ciphertext, ends_at)
  values ($1, $2, $3, $4, $5, $6, records.now_() + ${rotationHours} * interval '1 hour')`;
const ofEndpoint = 'merchant_id = $1 and mode = $2 and kind = $3';
// A transaction that settles another secret of the endpoint waits here, and then sees this one.
const lockOthers = `
  select from records.webhook_secrets where ${ofEndpoint} order by secret_id for update`;
// The secret with the later event wins, unless it was made minutes before this one. No command takes that long: its
// event was lost when the log was restored to an earlier point than the records, and revisions began again from there.
const isLatest = `not exists (
  select 1 from records.webhook_secrets where ${ofEndpoint} and revision > $5
    and created_at > (select created_at from records.webhook_secrets where secret_id = $4) - interval '5 minutes')`;
// A secret without a revision and without an end was settled before revisions existed.
const isUnsettled = 'revision is null and ends_at is not null';
const endPresent = `
  update records.webhook_secrets set ends_at = records.now_() + ${rotationHours} * interval '1 hour'
    where ${ofEndpoint} and ends_at is null and secret_id <> $4 and ${isLatest}
      and exists (select 1 from records.webhook_secrets where secret_id = $4 and ${isUnsettled})`;
const becomePresent = `
  update records.webhook_secrets set ends_at = null, revision = $5
    where ${ofEndpoint} and secret_id = $4 and ${isUnsettled} and ${isLatest}
      and not exists (select 1 from records.webhook_secrets where ${ofEndpoint} and ends_at is null)
  returning key_id as "keyId", ciphertext`;
const findSigning = {
  name: 'webhook-secrets-signing',
  text: `
    select secret_id, key_id, ciphertext from records.webhook_secrets
      where ${ofEndpoint} and coalesce(ends_at > records.now_(), true)
      order by ends_at desc nulls first`,
};

const webhookSecretLabel = 'webhook_secret';

/** The row's id is bound into the ciphertext: a ciphertext that is moved to another endpoint does not open. */
export const sealedWebhookSecrets: SealedTable = {
  table: 'webhook_secrets',
  idColumn: 'secret_id',
  idType: 'uuid',
  label: () => webhookSecretLabel,
  aad: (secretId) => secretId,
  underDataKey: false,
};

type SettleArguments = Parameters<WebhookSecrets['settle']>;

interface Sealed {
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/** The secrets of endpoints, sealed in the records; each attempt signs with them. */
export class RecordedWebhookSecrets extends WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async make(endpoint: WebhookEndpointKey, secretId: string): Promise<void> {
    // If another key sealed the secret, no process of the service could open it.
    await checkMasterKey(this.database, this.keyring);
    const secret = newSecret();
    const { keyId, ciphertext } = this.keyring.seal(webhookSecretLabel, secret, secretId);
    const { merchantId, mode, kind } = endpoint;
    const bytes = Buffer.from(ciphertext, 'base64');
    await this.database.query(insert, [merchantId, mode, kind, secretId, keyId, bytes]);
  }

  override settle(...of: SettleArguments): Promise<string | undefined> {
    return this.becomePresent([endPresent], ...of);
  }

  override settleFirst(...of: SettleArguments): Promise<string | undefined> {
    return this.becomePresent([], ...of);
  }

  private async becomePresent(
    before: readonly string[],
    ...[{ merchantId, mode, kind }, secretId, revision]: SettleArguments
  ): Promise<string | undefined> {
    const key = [merchantId, mode, kind];
    const named = [...key, secretId, revision];
    return this.database.transaction(async (transaction) => {
      await transaction.query(lockOthers, key);
      for (const statement of before) await transaction.query(statement, named);
      const [row] = await transaction.query<Sealed>(becomePresent, named);
      // If the master key is missing here, the secret stays unsettled for a process that has the key.
      return row && this.open(row, secretId);
    });
  }

  private open({ keyId, ciphertext }: Sealed, secretId: string): string {
    return this.keyring.openBytes(webhookSecretLabel, keyId, ciphertext, secretId).toString();
  }
}

/** The secrets that currently sign webhooks to an endpoint, cached for at most a second. */
export class EndpointSecrets {
  private readonly cache = new AnnouncedCache<readonly KeyObject[]>({
    load: (name) => {
      const [mode = '', kind = '', ...merchantId] = name.split(' ');
      return this.find({
        merchantId: merchantId.join(' '),
        mode: mode as Mode,
        kind: kind as WebhookKind,
      });
    },
  });
  private readonly consumers = new AnnouncedCache<readonly ConsumerKey[]>({
    load: async (merchantId) => {
      const credentials = await listCredentials(this.database, merchantId);
      return credentials
        .filter(({ kind, revoked }) => kind === 'v3' && !revoked)
        .map(({ credentialId, name }) => ({
          credentialId,
          key: createSecretKey(Buffer.from(name, 'utf8')),
        }));
    },
  });

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Returns the keys of the merchant's V3 credentials that are not revoked, the newest last.
   * @throws DependencyUnavailable
   */
  async consumerKeys(merchantId: string): Promise<readonly ConsumerKey[]> {
    return (await this.consumers.find(merchantId)) ?? [];
  }

  /**
   * Returns the secrets of a V4 endpoint, the newest first: two during a rotation, and none if there is nothing to sign
   * with.
   * @throws DependencyUnavailable, UnopenableCiphertext
   */
  async of({ merchantId, mode, kind }: WebhookEndpointKey): Promise<readonly KeyObject[]> {
    return (await this.cache.find(`${mode} ${kind} ${merchantId}`)) ?? [];
  }

  private async find(endpoint: WebhookEndpointKey): Promise<readonly KeyObject[]> {
    const { merchantId, mode, kind } = endpoint;
    type Row = { secret_id: string; key_id: string; ciphertext: Buffer };
    const rows = await this.database.query<Row>(findSigning, [merchantId, mode, kind]);
    return rows.map((row) => {
      const { key_id: keyId, ciphertext, secret_id: secretId } = row;
      return createSecretKey(
        this.keyring.openBytes(webhookSecretLabel, keyId, ciphertext, secretId),
      );
    });
  }
}
