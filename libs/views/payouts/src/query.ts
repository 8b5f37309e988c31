import { type Instant, instantFromMs, type Minor, type Mode, modes } from '#domain/kernel';
import { type Wallet } from '#domain/ledger';
import { PaidNumbers, PayoutOrders, type PayoutTerms, PayoutTermsDirectory } from '#domain/payouts';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';
import { AnnouncedCache } from '#infra/runtime';
import { credentialsChannel } from '#views/merchants';
import {
  type OwnServability,
  requireNotQuarantined,
  requireServable,
  type Servability,
} from '#views/view-set';

const dayMs = 86_400_000;

/** Who is to act on an open payout next; of a `declined` one the rail may still say that it paid. */
export type PayoutStep = 'requested' | 'reserved' | 'approved' | 'started' | 'paid' | 'declined';

export interface OpenPayout {
  readonly stream: string;
  readonly mode: Mode;
  readonly channel: string;
  /** From which a later look goes on. */
  readonly position: bigint;
  /** Absent before it is sent. */
  readonly originatorConversationId: string | null;
}

const selectOpen = {
  name: 'open-payouts-of-step',
  text: `
  select stream, mode, channel, position, originator_conversation_id as "originatorConversationId"
  from open_payouts
  where step = $1 and since <= records.now_() - $2 * interval '1 millisecond' and position > $3
  order by position limit $4`,
};

/**
 * Payouts that stand at a step for so long, oldest first.
 * @param options `after`: the position behind which to look, for who goes on from an earlier answer
 */
export function openPayouts(
  database: Queryable,
  options: {
    readonly step: PayoutStep;
    readonly olderThanMs: number;
    readonly limit: number;
    readonly after?: bigint;
  },
): Promise<OpenPayout[]> {
  const { step, olderThanMs, limit, after = 0n } = options;
  return database.query<OpenPayout>(selectOpen, [step, olderThanMs, after, limit]);
}

/** A payout that its rail is to be given. */
export interface ApprovedPayout extends OpenPayout {
  /** The records hold what the rail said of its order, or a question about it: it was given to the rail before. */
  readonly wasOrdered: boolean;
}

// Whoever calls back has an address that the rail was told with an order.
const wasOrdered = `
  exists (select from records.sealed_messages m where m.stream = o.stream
      and m.kind in ('order_answer', 'result', 'queue_timeout', 'query_answer'))
    or exists (select from records.payout_queries q where q.stream = o.stream and q.asked > 0)`;

// Views and records are read in one statement.
const selectApproved = {
  name: 'payouts-approved',
  text: `
  select o.stream, o.mode, o.channel, o.position, null as "originatorConversationId", ${wasOrdered} as "wasOrdered"
  from open_payouts o left join transactions t on t.stream = o.stream
  where o.step = 'approved' and o.mode = $1 and o.channel = $2 and o.position > $3
    and (t.waiting_since is null or t.amount_minor <= $5 or ${wasOrdered})
  order by o.position limit $4`,
};

/**
 * Payouts that a rail is to be given, oldest first. Those that wait for its float are left out until it is known to cover
 * them: any number may wait, and the others must not wait for them.
 * @param look `after`: the position behind which to look, for who goes on from an earlier answer; `floatMinor`: what the
 *   rail's own account holds, where it is known
 */
export function approvedPayouts(
  database: Queryable,
  { mode, channel }: Pick<OpenPayout, 'mode' | 'channel'>,
  look: { readonly after: bigint; readonly limit: number; readonly floatMinor?: Minor | undefined },
): Promise<ApprovedPayout[]> {
  const { after, limit, floatMinor = null } = look;
  const values = [mode, channel, after, limit, floatMinor];
  return database.query<ApprovedPayout>(selectApproved, values);
}

const selectGiven = {
  name: 'payouts-given',
  text: `select exists (select from unnest($1::text[]) as o (stream) where ${wasOrdered}) as given`,
};

/** The orders that the records know of. */
export class RecordedPayoutOrders extends PayoutOrders {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async wereGiven(streams: readonly string[]): Promise<boolean> {
    const [row] = await this.database.query<{ given: boolean }>(selectGiven, [streams]);
    return row?.given === true;
  }
}

/** A payout that somebody is still to do something about. Amounts in minor units. */
export interface UnsettledPayout {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly status: string;
  readonly step: PayoutStep;
  readonly since: Instant;
  readonly amountMinor: Minor;
  readonly currency: string;
  readonly accountNo: string;
  readonly batch: string | null;
  readonly waitingForFloat: boolean;
  readonly underReview: boolean;
}

interface UnsettledRow extends Omit<UnsettledPayout, 'since'> {
  readonly since: Date;
}

const selectUnsettled = {
  name: 'payouts-unsettled',
  text: `
  select t.merchant_id as "merchantId", t.mode, t.reference, t.status, o.step, o.since,
    t.amount_minor as "amountMinor", t.currency, t.account_no as "accountNo", t.batch_reference as batch,
    t.waiting_since is not null and o.step = 'approved' as "waitingForFloat",
    t.under_review as "underReview"
  from open_payouts o join transactions t on t.stream = o.stream
  where o.step <> 'declined'
    and ($1::text is null or t.merchant_id = $1)
    and ($2::text is null or o.mode = $2)
    and ($3::text is null or t.status = $3)
  order by o.position limit $4`,
};

/** Payouts that are not final, for a person; the oldest first. */
export async function listUnsettledPayouts(
  database: Queryable,
  filter: {
    readonly merchantId?: string;
    readonly mode?: Mode;
    readonly status?: string;
    readonly limit: number;
  },
): Promise<readonly UnsettledPayout[]> {
  const { merchantId = null, mode = null, status = null, limit } = filter;
  const values = [merchantId, mode, status, limit];
  const rows = await database.query<UnsettledRow>(selectUnsettled, values);
  return rows.map((row) => ({ ...row, since: instantFromMs(row.since.getTime()) }));
}

const selectFloatMissing = {
  name: 'payouts-float-missing',
  text: `
  select o.stream, o.mode, o.channel, o.position, null as "originatorConversationId"
  from open_payouts o join transactions t on t.stream = o.stream
  where o.step = 'approved' and o.position > $2
    and t.waiting_since <= records.now_() - $1 * interval '1 millisecond'
  order by o.position limit $3`,
};

/** Payouts for which the rail's float was first missing so long ago, and is still; oldest first. */
export function payoutsWithoutFloat(
  database: Queryable,
  options: { readonly forMs: number; readonly limit: number; readonly after: bigint },
): Promise<OpenPayout[]> {
  const { forMs, limit, after } = options;
  return database.query<OpenPayout>(selectFloatMissing, [forMs, after, limit]);
}

/** What of payouts waits for the rail: for its result, or for its float. */
export interface WaitingPayouts {
  /** 10,000 stands for more. */
  readonly forRail: number;
  /** Of the one that was sent first; 0 where none waits. */
  readonly oldestSeconds: number;
  readonly forFloat: number;
  /** Since the first approval of those that were neither sent nor wait for the float; 0 where there are none. */
  readonly unsentSeconds: number;
}

const selectWaiting = {
  name: 'payouts-waiting',
  text: `
  select
    (select count(*)::integer from (select from open_payouts where step = 'started' limit 10000) sent)
      as "forRail",
    (select coalesce(extract(epoch from records.now_() - min(since)), 0)::float8
      from open_payouts where step = 'started') as "oldestSeconds",
    (select count(*)::integer from open_payouts o join transactions t on t.stream = o.stream
      where o.step = 'approved' and t.waiting_since is not null) as "forFloat",
    (select coalesce(extract(epoch from records.now_() - min(o.since)), 0)::float8
      from open_payouts o join transactions t on t.stream = o.stream
      where o.step = 'approved' and t.waiting_since is null) as "unsentSeconds"`,
};

/** @throws DependencyUnavailable */
export async function waitingPayouts(database: Queryable): Promise<WaitingPayouts> {
  const [row] = await database.query<WaitingPayouts>(selectWaiting);
  return row ?? { forRail: 0, oldestSeconds: 0, forFloat: 0, unsentSeconds: 0 };
}

interface AskablePayout extends Pick<OpenPayout, 'stream' | 'mode' | 'channel'> {
  readonly originatorConversationId: string;
  /** Beside the schedule: a report that settled nothing called for it. */
  readonly isExtra: boolean;
  /** Questions of its kind so far. */
  readonly asked: number;
}

/** After an extra question: twice as long each time, from the least gap between two questions to the longest. */
const extraGap = `least($6::float8, $5::float8 * 2 ^ least(q.extra_asked, 30)) * interval '1 millisecond'`;

// One that was sent after its last question was asked about in a history that the log has lost: it is one of which nothing
// is known, and what settled it then has put off its next question by the last gap.
const selectToAskAbout = {
  name: 'payouts-to-ask-about',
  text: `
  select stream, mode, channel, originator_conversation_id as "originatorConversationId", "isExtra", asked
  from (
    select o.stream, o.mode, o.channel, o.step, o.originator_conversation_id, false as "isExtra",
      coalesce(q.asked, 0) as asked,
      case when (o.step = 'started' or q.asked >= $2) and q.asked_at < o.since
        then least(q.due_at, o.since + $1 * interval '1 millisecond')
        else coalesce(q.due_at, o.since + $1 * interval '1 millisecond') end as due_at
    from open_payouts o left join records.payout_queries q on q.stream = o.stream
    where o.step = 'started'
      or o.step = 'declined' and (o.since > records.now_() - $4 * interval '1 millisecond'
        or coalesce(q.asked, 0) < $2 and o.since > records.now_() - $3 * interval '1 millisecond')
    union all
    select o.stream, o.mode, o.channel, o.step, o.originator_conversation_id, true, q.extra_asked,
      greatest(q.asked_at + $5 * interval '1 millisecond', q.extra_asked_at + ${extraGap}, '-infinity')
    from records.payout_queries q join open_payouts o on o.stream = q.stream
    where q.extra_until > records.now_() and (o.step = 'started'
      or o.step = 'declined' and o.since > records.now_() - $7 * interval '1 millisecond')
  ) askable
  where originator_conversation_id is not null and due_at <= records.now_()
    and ($9::text is null or mode = $9)
  order by "isExtra", step = 'declined', due_at limit $8`,
};

/**
 * Payouts about which the rail is to be asked now, by the records of questions: those of which nothing is known, then
 * those that were declined and not asked about to the last delay, and that long after their decline (PAY-30); the
 * longest due first. Extra questions come behind the schedule's (PAY-38).
 * @param options `queryDelaysMs`: RAIL_QUERY_DELAYS; `extra`: the least and the longest gap between two extra questions
 *   about a payout, and how long after its decline they are asked; `mode`: whose payouts, both unless given
 */
export function payoutsToAskAbout(
  database: Queryable,
  options: {
    readonly queryDelaysMs: readonly number[];
    readonly extra: { readonly minMs: number; readonly maxMs: number; readonly forMs: number };
    readonly limit: number;
    readonly mode?: Mode | undefined;
  },
): Promise<AskablePayout[]> {
  const { queryDelaysMs, extra, limit, mode = null } = options;
  const lastMs = queryDelaysMs.at(-1) ?? 0;
  // A declined one that is twice as old was left behind while no worker ran; its questions are counted, not its age.
  const lookedForMs = 2 * lastMs + dayMs;
  const { minMs, maxMs, forMs } = extra;
  return database.query<AskablePayout>(selectToAskAbout, [
    ...[queryDelaysMs[0] ?? 0, queryDelaysMs.length, lookedForMs, lastMs],
    ...[minMs, maxMs, forMs, limit, mode],
  ]);
}

const selectToSettle = {
  name: 'payouts-to-settle',
  text: `
  select stream from (
    select o.stream, o.since from open_payouts o join transactions t on t.stream = o.stream
    where o.step in ('requested', 'paid') and (o.step = 'paid' or t.batch_reference is null)
    union
    select t.stream, r.reserved_at
    from open_reservations r
    join transactions t on t.stream = split_part(r.source, '~late', 1)
    where r.source like 'payout-%' and t.status in ('rejected', 'failed')
  ) left_behind
  where since <= records.now_() - $1 * interval '1 millisecond' and stream > $3
  group by stream order by stream limit $2`,
};

/**
 * The streams of payouts that lack a step between them and their wallet's reservations: a request without its funds, a
 * reservation that nothing stands for any more, a late success without its posting. By their names. What a batch has not
 * reserved yet is found with it (`payoutBatchesToSettle`).
 * @param left `after`: the stream behind which to look, for who goes on from an earlier answer
 */
export async function payoutsToSettle(
  database: Queryable,
  left: { readonly olderThanMs: number; readonly limit: number; readonly after?: string },
): Promise<string[]> {
  const { olderThanMs, limit, after = '' } = left;
  const values = [olderThanMs, limit, after];
  const rows = await database.query<{ stream: string }>(selectToSettle, values);
  return rows.map(({ stream }) => stream);
}

export interface RetainedNumber {
  /** The payout's stream and the number's digest. */
  readonly id: string;
  readonly stream: string;
  /**
   * `over`: nothing is sent for the payout any more. `not_its_own`: the payout was recorded with another number.
   * `unknown`: the view, which may lag, has no such payout. `needed`: it may still be sent.
   */
  readonly standing: 'over' | 'not_its_own' | 'unknown' | 'needed';
  /** Whether it was kept longer ago than any request is at work. */
  readonly isOld: boolean;
}

const selectRetainedNumbers = {
  name: 'payout-numbers-kept',
  text: `
  select p.id, p.stream, p.kept_at < records.now_() - $2 * interval '1 millisecond' as "isOld",
    case when t.stream is null then 'unknown'
      when t.status in ('completed', 'failed', 'rejected') then 'over'
      when p.id <> p.stream || ' ' || t.phone_hmac then 'not_its_own'
      else 'needed' end as standing
  from records.payout_phones p left join transactions t on t.stream = p.stream
  where p.id > $1 order by p.id limit $3`,
};

/** The numbers that the records keep, and what the view says of their payouts; a page by their ids. */
export function retainedNumbers(
  database: Queryable,
  options: { readonly after: string; readonly oldAfterMs: number; readonly limit: number },
): Promise<RetainedNumber[]> {
  const { after, oldAfterMs, limit } = options;
  return database.query<RetainedNumber>(selectRetainedNumbers, [after, oldAfterMs, limit]);
}

interface TermsRow extends Servability, Pick<OwnServability, 'is_quarantined'> {
  readonly timezone: string | null;
  readonly max_minor: Minor | null;
  readonly max_per_day_minor: Minor | null;
  readonly automatic_max_minor: Minor | null;
  readonly automatic_per_day_minor: Minor | null;
  readonly destinations: readonly string[] | null;
}

const selectTerms = {
  name: 'payout-terms',
  text: `
  select checkpoint.fresh_at,
    checkpoint.quarantined > 0 and exists (
      select from quarantines q where q.merchant_id = asked.merchant_id and q.scope = 'merchant'
    ) as is_quarantined,
    m.timezone, t.max_minor, t.max_per_day_minor, t.automatic_max_minor,
    t.automatic_per_day_minor, t.destinations
  from unnest($1::text[], $2::text[]) with ordinality as asked (merchant_id, mode, at)
  left join checkpoint on true
  left join merchants m on m.merchant_id = asked.merchant_id
  left join payout_terms t on t.merchant_id = m.merchant_id and t.mode = asked.mode
  order by asked.at`,
};

/** Whose terms are asked for. */
interface TermsOf {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** A row for each that is asked for; without freshness where there is no checkpoint. */
async function termsRows(database: Queryable, asked: readonly TermsOf[]): Promise<TermsRow[]> {
  const [merchants, modes] = [
    asked.map(({ merchantId }) => merchantId),
    asked.map(({ mode }) => mode),
  ];
  return database.query<TermsRow>(selectTerms, [merchants, modes]);
}

/**
 * The operator's bounds as the view has them, kept in this process for a second at most and ended sooner by the
 * projector's announcement. Those that are asked for together are looked up together.
 */
export class ProjectedPayoutTerms extends PayoutTermsDirectory {
  readonly #terms: Readonly<Record<Mode, AnnouncedCache<PayoutTerms>>>;

  private constructor(database: Queryable) {
    super();
    const finding = new MicroBatcher({
      flush: (asked: readonly TermsOf[]) => termsRows(database, asked),
    });
    const termsIn = (mode: Mode) =>
      new AnnouncedCache({
        load: async (merchantId) => termsOf(await finding.add({ merchantId, mode })),
      });
    this.#terms = { live: termsIn('live'), demo: termsIn('demo') };
  }

  /** Listens for announcements until the database is closed. */
  static async open(database: Database): Promise<ProjectedPayoutTerms> {
    const terms = new ProjectedPayoutTerms(database);
    await database.listen(credentialsChannel, () => {
      for (const mode of modes) terms.#terms[mode].forget();
    });
    return terms;
  }

  override async termsOf(merchantId: string, mode: Mode): Promise<PayoutTerms> {
    const terms = await this.#terms[mode].find(merchantId);
    if (!terms) throw new TypeError('every merchant has terms, if only the usual ones');
    return terms;
  }
}

/**
 * Where the merchant's own stream stands still, what an operator sets to bound its payouts is not read any more: none is
 * asked for then.
 * @throws DependencyUnavailable where the views are not built yet; MerchantQuarantined
 */
function termsOf(found: TermsRow): PayoutTerms {
  const row = requireServable(found);
  requireNotQuarantined(row);
  return {
    ...(row.max_minor === null ? {} : { maxMinor: row.max_minor }),
    ...(row.max_per_day_minor === null ? {} : { maxPerDayMinor: row.max_per_day_minor }),
    automaticMaxMinor: row.automatic_max_minor ?? 0n,
    automaticPerDayMinor: row.automatic_per_day_minor ?? 0n,
    ...(row.destinations === null ? {} : { destinations: new Set(row.destinations) }),
    timezone: row.timezone ?? 'UTC',
  };
}

const selectPaid = {
  name: 'paid-number',
  text: `select 1 as paid from paid_numbers where mode = $1 and account_no = $2 and phone_hmac = $3`,
};

/** The numbers that a wallet has paid, as the view has them: behind, it knows fewer. */
export class ProjectedPaidNumbers extends PaidNumbers {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async hasPaid({ mode, accountNo }: Wallet, phoneHmac: string): Promise<boolean> {
    const rows = await this.database.query(selectPaid, [mode, accountNo, phoneHmac]);
    return rows.length > 0;
  }
}
