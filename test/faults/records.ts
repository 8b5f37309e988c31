import { Database } from '#infra/postgres';
import { viewSchema } from '#views/view-set';
import { createLogger } from '#infra/runtime';
import { patientPool } from '#testing';

/** The records for a test that looks into them. Instead of waiting, it ages the rows that define a time. */
export class RecordsUnderTest {
  private readonly database: Database;

  constructor(url: string) {
    const logger = createLogger({ app: 'spec', level: 'fatal' });
    this.database = new Database({ ...patientPool, url, app: 'spec', logger, poolSize: 2 });
  }

  /** Lets the minute pass after which a claim's owner counts as dead. */
  async abandonClaim(reference: string): Promise<void> {
    await this.database.query(
      `update records.idempotency_claims set claimed_at = claimed_at - interval '60 s'
        where reference = $1`,
      [reference],
    );
  }

  /** Ends all leases of dead processes: the projector's, the inbox's, the queries', the webhooks'. */
  async endLeases(): Promise<void> {
    for (const statement of [
      `update records.leases set expires_at = '-infinity'`,
      `update records.callback_inbox set next_attempt_at = records.now_() where applied_at is null`,
      `update records.rail_query_attempts set attempted_at = attempted_at - interval '1 m'
        where outcome = 'asking'`,
      `update records.webhook_deliveries set next_attempt_at = records.now_() where next_attempt_at is not null`,
    ])
      await this.database.query(statement);
  }

  async isWebhookOwed(reference: string): Promise<boolean> {
    const rows = await this.database.query(
      `select 1 from records.webhook_deliveries d join ${viewSchema()}.webhook_events e on e.id = d.webhook_id
         where e.body::json -> 'data' ->> 'reference' = $1`,
      [reference],
    );
    return rows.length > 0;
  }

  async isInInbox(reference: string): Promise<boolean> {
    const rows = await this.database.query(
      'select 1 from records.callback_inbox where stream like $1',
      [`%:${reference}`],
    );
    return rows.length > 0;
  }

  /** True if the view of reservations has one for the stream that is neither posted nor released. */
  async isReserved(source: string): Promise<boolean> {
    const rows = await this.database.query(
      `select 1 from ${viewSchema()}.open_reservations where source = $1`,
      [source],
    );
    return rows.length > 0;
  }

  /** The number of the rail's messages for each stream that matches the pattern. */
  answersKept(pattern: string): Promise<{ readonly stream: string; readonly count: number }[]> {
    return this.database.query(
      `select stream, count(*)::int as count from records.sealed_messages
        where stream like $1 and kind in ('callback', 'query_answer') group by stream`,
      [pattern],
    );
  }

  /** The number of status queries that a worker has leased. */
  async questionsUnderWay(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from records.rail_query_attempts where outcome = 'asking'`,
    );
    return row?.count ?? 0;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
