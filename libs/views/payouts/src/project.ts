import { type RecordedEvent } from '#domain/event-sourcing';
import { assertNever, type Instant } from '#domain/kernel';
import { type PayoutEvent } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';
import { type PayoutStep } from './open-payouts.js';

interface OpenRow {
  readonly stream: string;
  readonly mode: string;
  readonly channel: string;
  readonly step: PayoutStep;
  readonly since: Instant;
  readonly position: bigint;
  readonly originator_conversation_id: string | null;
}

const upsert = {
  name: 'open-payouts-upsert',
  text: `
  insert into open_payouts as o select * from json_populate_recordset(null::open_payouts, $1)
  on conflict (stream) do update set step = excluded.step, since = excluded.since,
    originator_conversation_id = coalesce(excluded.originator_conversation_id, o.originator_conversation_id)`,
};
const remove = {
  name: 'open-payouts-remove',
  text: `delete from open_payouts where stream = any($1)`,
};
const rename = {
  name: 'open-payouts-rename',
  text: `
  update open_payouts o set originator_conversation_id = n.originator_conversation_id
  from json_populate_recordset(null::open_payouts, $1) n where o.stream = n.stream`,
};
const notePaid = {
  name: 'paid-numbers-insert',
  text: `
  insert into paid_numbers select * from json_populate_recordset(null::paid_numbers, $1)
  on conflict do nothing`,
};

/**
 * Stores the payouts that are not final, and the numbers that were paid.
 * @param rows the transactions that the batch touched
 */
export async function projectPayouts(
  transaction: Queryable,
  events: readonly RecordedEvent<PayoutEvent>[],
  rows: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  if (events.length === 0) return;
  const open = new Map<string, OpenRow | undefined>();
  const paid: object[] = [];
  const renamed: object[] = [];
  for (const event of events) {
    const row = rows.get(event.stream);
    if (!row) throw new TypeError(`${event.stream} has no row`);
    const step = stepAfter(event);
    const name = railNameIn(event);
    if (name !== undefined)
      renamed.push({ stream: event.stream, originator_conversation_id: name });
    if (step === 'same') continue;
    if (event.type === 'WalletPosted' && row.refund_reference === null) {
      const { mode, account_no, phone_hmac } = row;
      paid.push({ mode, account_no, phone_hmac });
    }
    const named =
      event.type === 'RailPayoutStarted'
        ? event.data.originatorConversationId
        : (open.get(event.stream)?.originator_conversation_id ?? null);
    open.set(event.stream, step === 'none' ? undefined : openRow(event, row, step, named));
  }
  const kept = [...open.values()].filter((row) => row !== undefined);
  const over = [...open].flatMap(([stream, row]) => (row ? [] : [stream]));
  if (kept.length > 0) await transaction.query(upsert, [recordset(kept)]);
  if (over.length > 0) await transaction.query(remove, [over]);
  if (renamed.length > 0) await transaction.query(rename, [recordset(renamed)]);
  if (paid.length > 0) await transaction.query(notePaid, [recordset(paid)]);
}

/** Returns the rail's own name for an order that cannot carry ours, if the event brings it (REF-6). */
export function railNameIn(event: PayoutEvent): string | undefined {
  return event.type === 'RailPayoutAccepted' ? event.data.originatorConversationId : undefined;
}

/** Returns the step that decides who acts next; `none`: no further step; `same`: unchanged. */
export function stepAfter(event: PayoutEvent): PayoutStep | 'none' | 'same' {
  switch (event.type) {
    case 'PayoutRequested':
      return 'requested';
    case 'PayoutReserved':
      return 'reserved';
    case 'PayoutApproved':
      return 'approved';
    case 'PayoutApprovalExpired':
      return 'reserved';
    case 'RailPayoutStarted':
      return 'started';
    case 'RailConfirmed':
      return 'paid';
    case 'RailDeclined':
      return event.data.by === 'answer' ? 'refused' : 'declined';
    case 'PayoutRejected':
    case 'WalletPosted':
      return 'none';
    case 'PayoutWaitingForFloat':
    case 'RailPayoutAccepted':
    case 'RailReceiptRecorded':
    case 'ReviewFlagged':
    case 'ReviewDecided':
      return 'same';
    default:
      return assertNever(event);
  }
}

function openRow(
  { stream, recordedAt }: RecordedEvent<PayoutEvent>,
  { mode, channel, position }: TransactionRow,
  step: PayoutStep,
  named: string | null,
): OpenRow {
  return {
    stream,
    mode,
    channel,
    step,
    since: recordedAt,
    position,
    originator_conversation_id: named,
  };
}
