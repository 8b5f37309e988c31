import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';

/**
 * An item that takes two people: a review's ruling, a correction, a role, or a change that two admins make
 * (`proposal`). Or a request of a merchant's owner, which waits for an admin. Or a new admin who is announced and whom one admin can stop. Or a webhook endpoint that fails. Payouts
 * belong to their merchants. Or a credential that ends soon.
 */
export type WaitingKind =
  | 'review'
  | 'correction'
  | 'role'
  | 'proposal'
  | 'request'
  | 'break_glass'
  | 'endpoint'
  | 'credential';

/** `url`: NOTIFY_URL. `mail`: SMTP_URL. `merchant`: SMTP_URL to the address that the merchant's people gave. */
export type ChannelName = 'url' | 'mail' | 'merchant';

/** An item that waits for a second person, an endpoint that fails, or a credential that ends soon. */
export interface NewNotice {
  readonly kind: WaitingKind;
  /**
   * The id of the proposal or the correction; for an endpoint, one of its period of failure; for a credential, one of
   * its reminder.
   */
  readonly id: string;
  /**
   * The name that people know: a reference, the short id of a correction or a change, a role, an endpoint's kind and
   * merchant, or a credential's id, merchant and end. Never a phone number.
   */
  readonly name: string;
  /** Undefined if the item belongs to the platform. */
  readonly mode: Mode | undefined;
  /** The endpoint to whose address the notice goes as well, if the merchant's people gave one. */
  readonly endpoint?: { readonly merchantId: string; readonly kind: WebhookKind };
}

/** One message that is due. */
export interface Notice extends NewNotice {
  /** `asked`: the item waits, or the endpoint fails. `over`: it no longer does. */
  readonly about: 'asked' | 'over';
  readonly channel: ChannelName;
  /** Includes this one. */
  readonly attempts: number;
}

const columns = 'kind, id, about, channel, name, mode, merchant_id, endpoint_kind';

const noteAsked = `
  insert into records.notices (${columns})
  select w.kind, w.id, 'asked', c.channel, w.name, w.mode, w.merchant_id, w.endpoint_kind
  from json_to_recordset($1) as w (kind text, id text, name text, mode text, merchant_id text, endpoint_kind text)
  cross join unnest($2::text[]) as c (channel)
  where c.channel <> 'merchant' or exists (
    select from records.failure_contacts contact
      where (contact.merchant_id, contact.mode, contact.kind) = (w.merchant_id, w.mode, w.endpoint_kind))
  on conflict do nothing`;

// Uses the channel that sent the first notice, and only if that notice reached people. A reminder is never over: the next
// one replaces it.
const noteOver = `
  insert into records.notices (${columns})
  select n.kind, n.id, 'over', n.channel, n.name, n.mode, n.merchant_id, n.endpoint_kind
  from records.notices n
  where n.about = 'asked' and n.outcome = 'told' and n.channel = any($2) and n.kind <> 'credential'
    and n.noted_at > records.now_() - interval '30 days'
    and not exists (
      select 1 from json_to_recordset($1) as w (kind text, id text) where w.kind = n.kind and w.id = n.id)
  on conflict do nothing`;

// Retries after half a minute, then doubles the delay each time: the delay after the eighth attempt is an hour.
const take = `
  update records.notices n
    set attempts = attempts + 1, next_attempt_at = records.now_() + interval '30 s' * power(2, attempts)
  from (
    select kind, id, about, channel from records.notices
    where outcome is null and next_attempt_at <= records.now_()
    order by next_attempt_at limit $1 for update skip locked
  ) due
  where (n.kind, n.id, n.about, n.channel) = (due.kind, due.id, due.about, due.channel)
  returning n.kind, n.id, n.about, n.channel, n.name, n.mode, n.merchant_id, n.endpoint_kind, n.attempts`;

const end = `
  update records.notices set outcome = $5
    where kind = $1 and id = $2 and about = $3 and channel = $4 and outcome is null`;

// The next attempt of a notice is half a minute or more after its last one. So a notice that ended was sent, or given
// up, before that time.
const announcementEnded = `
  select min(next_attempt_at) as at from records.notices
    where kind = 'break_glass' and id = $1 and about = 'asked' and outcome is not null`;

/**
 * Records what waits now: a notice for each new item, and one for each that no longer waits.
 * @param isWhole true if `waiting` is complete; else no item is known to be over
 * @throws DependencyUnavailable, like all of these functions
 */
export async function noteWaiting(
  database: Queryable,
  waiting: readonly NewNotice[],
  channels: readonly ChannelName[],
  isWhole: boolean,
): Promise<void> {
  const rows = waiting.map(({ endpoint, ...item }) => ({
    ...item,
    merchant_id: endpoint?.merchantId,
    endpoint_kind: endpoint?.kind,
  }));
  const values = [JSON.stringify(rows), channels];
  if (waiting.length > 0) await database.query(noteAsked, values);
  if (isWhole) await database.query(noteOver, values);
}

/**
 * Returns the due notices, the oldest first; only one of several workers gets each. It becomes due again after a pause
 * that grows with its attempts, so that a notice whose sender dies is still sent.
 */
export async function takeNotices(database: Queryable, max: number): Promise<readonly Notice[]> {
  const rows = await database.query<NoticeRow>(take, [max]);
  return rows.map(({ mode, merchant_id: merchantId, endpoint_kind: kind, ...row }) => ({
    ...row,
    mode: mode ?? undefined,
    ...(merchantId !== null && kind !== null && { endpoint: { merchantId, kind } }),
  }));
}

interface NoticeRow extends Omit<Notice, 'mode' | 'endpoint'> {
  readonly mode: Mode | null;
  readonly merchant_id: string | null;
  readonly endpoint_kind: WebhookKind | null;
}

/** @param outcome `failed`: it was tried often enough */
export async function endNotice(
  database: Queryable,
  { kind, id, about, channel }: Notice,
  outcome: 'told' | 'failed',
): Promise<void> {
  await database.query(end, [kind, id, about, channel, outcome]);
}

/**
 * Returns a time by which operators were told of an announced admin. A notice that was given up after all its attempts
 * counts too: otherwise a broken channel would leave the platform without admins.
 * @returns undefined if no notice of it has ended yet
 * @throws DependencyUnavailable
 */
export async function announcementToldAt(
  database: Queryable,
  announcementId: string,
): Promise<Instant | undefined> {
  const [row] = await database.query<{ at: Date | null }>(announcementEnded, [announcementId]);
  return row?.at ? instantFromMs(row.at.getTime()) : undefined;
}
