import { type Queryable } from '#infra/postgres';
import {
  type CaseFile,
  CaseRecords,
  type InboxRow,
  type LastAuditCheck,
  type RetainedMessage,
  type MadePayoutQueries,
  type MadeRailQuery,
  type DeliveriesStanding,
  type MissedMoney,
  type OwedDelivery,
  PlatformRecords,
  type StoredReviewProposal,
  type WaitingInbox,
} from '#desk/operators';
import { findLastAuditCheck } from './audit-checks.js';
import { countUnopenedCallbacks, listUnmatchedPayments, waitingInboxEntries } from '#records/rails';
import { findOpenProposals, findReviewProposals } from '#records/reviews';
import { failingEndpoints, unattemptedSeconds, waitingDeliveries } from '#records/webhooks';

/** More than any collection has, unless it is under attack. A person reads no further. */
const max = 200;

const queries = `
  select attempt, attempted_at as "attemptedAt", outcome
    from records.rail_query_attempts where stream = $1 order by attempt limit ${max}`;
const inboxColumns = `
  id, stream, source_address as "sourceAddress", trusted, received_at as "receivedAt", attempts,
  next_attempt_at as "nextAttemptAt", applied_at as "appliedAt", outcome, told,
  told_receipt as "toldReceipt", told_minor as "toldMinor", told_paid_at as "toldPaidAt"`;
const inbox = `
  select ${inboxColumns} from records.callback_inbox
    where stream = $1 order by received_at, id limit ${max}`;
const payoutQueries = `
  select asked, asked_at as "askedAt", due_at as "dueAt", answer
    from records.payout_queries where stream = $1`;
// rail_messages contains the messages of earlier releases.
const messages = `
  select id, received_at as "receivedAt" from (
      select id, received_at from records.rail_messages where stream = $1
      union all
      select id, received_at from records.sealed_messages
        where stream = $1 and kind not in ('request', 'request_item')) as said
    order by received_at, id limit ${max}`;
const deliveries = `
  select webhook_id as "eventId", kind, type, owed_at as "owedAt", attempts, outcome, ended_at as "endedAt",
      next_attempt_at as "nextAttemptAt"
    from records.webhook_deliveries where webhook_id = any($1::uuid[]) order by owed_at, sequence limit ${max}`;
// Selects the newest rows, since people have already seen the others; shows the newest last.
const leftForReview = `
  select * from (
    select ${inboxColumns} from records.callback_inbox
      where outcome like 'left_for_review%'
        and ($2::text[] is null or exists (select from unnest($2) prefix where starts_with(stream, prefix)))
      order by received_at desc, id desc limit $1) newest
  order by "receivedAt", id`;

const toldPayments = `
  select ${inboxColumns} from records.callback_inbox
    where told and outcome like 'left_for_review%' order by received_at desc, id desc limit $1`;

/** Answers a person's questions about an item, from the records and views. */
export class RecordedCaseRecords extends CaseRecords {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async file(stream: string): Promise<CaseFile> {
    const { database } = this;
    return {
      queries: await database.query<MadeRailQuery>(queries, [stream]),
      inbox: await database.query<InboxRow>(inbox, [stream]),
      messages: await database.query<RetainedMessage>(messages, [stream]),
    };
  }

  override proposals(stream: string): Promise<readonly StoredReviewProposal[]> {
    return findReviewProposals(this.database, stream);
  }

  override async payoutQueries(stream: string): Promise<MadePayoutQueries | undefined> {
    const [row] = await this.database.query<MadePayoutQueries>(payoutQueries, [stream]);
    return row;
  }

  override callbacksLeft(
    limit: number,
    streamPrefixes?: readonly string[],
  ): Promise<readonly InboxRow[]> {
    return this.database.query<InboxRow>(leftForReview, [limit, streamPrefixes ?? null]);
  }

  override toldPayments(limit: number): Promise<readonly InboxRow[]> {
    return this.database.query<InboxRow>(toldPayments, [limit]);
  }

  override waitingInbox(): Promise<WaitingInbox> {
    return waitingInboxEntries(this.database);
  }

  override unopenedCallbacks(): Promise<number> {
    return countUnopenedCallbacks(this.database);
  }

  override lastAuditCheck(): Promise<LastAuditCheck | undefined> {
    return findLastAuditCheck(this.database);
  }

  override openProposals(limit: number): Promise<readonly StoredReviewProposal[]> {
    return findOpenProposals(this.database, limit);
  }

  override deliveriesOf(eventIds: readonly string[]): Promise<readonly OwedDelivery[]> {
    return this.database.query<OwedDelivery>(deliveries, [eventIds]);
  }
}

/** Answers a person's questions about the platform, from the records and views. */
export class RecordedPlatformRecords extends PlatformRecords {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async deliveries(maxFailing: number): Promise<DeliveriesStanding> {
    const { endpoints, ofAll } = await failingEndpoints(this.database, maxFailing);
    const waiting = await waitingDeliveries(this.database);
    const unattempted = await unattemptedSeconds(this.database);
    // Endpoints' addresses are not shown here.
    const failing = endpoints.map(({ url: _url, ...endpoint }) => endpoint);
    return { ...waiting, unattemptedSeconds: unattempted, failing, failingOfAll: ofAll };
  }

  override async missedMoney(max: number): Promise<MissedMoney> {
    const found = await listUnmatchedPayments(this.database, { limit: max + 1 });
    return { payments: found.slice(0, max), more: found.length > max };
  }
}
