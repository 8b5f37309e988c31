import { type RecordedEvent } from '#domain/event-sourcing';
import {
  type CorrectionEvent,
  correctionKeyOf,
  type CorrectionPosted,
  type CorrectionProposed,
} from '#domain/corrections';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';

const insert = {
  name: 'corrections-insert',
  text: `insert into corrections select * from jsonb_populate_recordset(null::corrections, $1)`,
};
const post = {
  name: 'corrections-post',
  text: `
  update corrections c set confirmed_by = p.confirmed_by, posted_at = p.posted_at
  from jsonb_to_recordset($1) as p (stream text, confirmed_by text, posted_at timestamptz(3))
  where c.stream = p.stream`,
};

/** Corrections as operators list them: proposed, and posted. */
export async function projectCorrections(
  transaction: Queryable,
  events: readonly RecordedEvent<CorrectionEvent>[],
): Promise<void> {
  const proposed = events.filter(isProposed).map(proposedRow);
  const posted = events.filter(isPosted).map(({ stream, data, recordedAt }) => ({
    stream,
    confirmed_by: data.confirmedBy,
    posted_at: recordedAt,
  }));
  if (proposed.length > 0) await transaction.query(insert, [recordset(proposed)]);
  if (posted.length > 0) await transaction.query(post, [recordset(posted)]);
}

/** @throws TypeError for a stream that names no correction */
function proposedRow({
  stream,
  data,
  recordedAt,
  position,
}: RecordedEvent<CorrectionProposed>): object {
  const id = correctionKeyOf(stream)?.id;
  if (id === undefined) throw new TypeError(`${stream} names no correction`);
  return {
    stream,
    id,
    merchant_id: data.merchantId,
    mode: data.mode,
    currency: data.currency,
    legs: data.legs.map(({ account, amountMinor }) => `${account}=${amountMinor}`),
    why: data.why,
    corrects: data.corrects ?? null,
    receipt: data.receipt ?? null,
    may_overdraw: data.mayOverdraw ?? false,
    proposed_by: data.proposedBy,
    proposed_at: recordedAt,
    position,
    confirmed_by: null,
    posted_at: null,
  };
}

export function isPosted(
  event: RecordedEvent<CorrectionEvent>,
): event is RecordedEvent<CorrectionPosted> {
  return event.type === 'CorrectionPosted';
}

function isProposed(
  event: RecordedEvent<CorrectionEvent>,
): event is RecordedEvent<CorrectionProposed> {
  return event.type === 'CorrectionProposed';
}
