import { type Database } from '#infra/postgres';
import { type SealedTable } from '#records/keys';
import { type Keyring, UnopenableCiphertext } from '#shared/signing';

const label = 'portal-session-renewal';
/** The provider is asked about a session at most this often (POR-122). */
export const renewedEveryMs = 5 * 60_000;

const keepToken = `
  insert into records.session_renewals as kept (id_hash, key_id, ciphertext) values ($1, $2, $3)
    on conflict (id_hash) do update set key_id = excluded.key_id, ciphertext = excluded.ciphertext`;
const takeToken = `
  update records.session_renewals set checked_at = records.now_()
    where id_hash = $1 and checked_at < records.now_() - ${renewedEveryMs} * interval '1 millisecond'
    returning key_id as "keyId", ciphertext`;
const dropToken = 'delete from records.session_renewals where id_hash = $1';

/** If the key of a session's token is retired, the token is resealed under the next key. */
export const sealedRenewals: SealedTable = {
  table: 'session_renewals',
  idColumn: 'id_hash',
  idType: 'bytea',
  label: () => label,
  aad: (id) => id.slice('\\x'.length),
  underDataKey: false,
};

/**
 * Stores the refresh token of each session, sealed under a master key. The tokens are never part of a log, an event or a
 * view. Each method throws DependencyUnavailable.
 */
export class RenewalTokens {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {}

  /** @param sessionHash of a session that is open */
  async keep(sessionHash: Buffer, token: string): Promise<void> {
    const { currentKeyId } = this.keyring;
    const ciphertext = this.keyring.sealBytes(label, token, sessionHash.toString('hex'));
    await this.database.query(keepToken, [sessionHash, currentKeyId, ciphertext]);
  }

  /**
   * Takes a session's token for one question to the provider. Only one of several replicas gets it.
   * @returns undefined if the session has none, if the provider was asked lately, or if the token's key was dropped
   */
  async take(sessionHash: Buffer): Promise<string | undefined> {
    const [row] = await this.database.query<{ keyId: string; ciphertext: Buffer }>(takeToken, [
      sessionHash,
    ]);
    if (!row) return undefined;
    try {
      const aad = sessionHash.toString('hex');
      return this.keyring.openBytes(label, row.keyId, row.ciphertext, aad).toString();
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }

  async drop(sessionHash: Buffer): Promise<void> {
    await this.database.query(dropToken, [sessionHash]);
  }
}
