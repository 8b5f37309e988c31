import { type Queryable } from '#infra/postgres';
import { type CollectionEvent } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type RetirementEvent } from '#domain/v3-retirement';
import { recordset } from '#views/view-set';

/** The channel that announces that V3's notice or end has reached the views. */
export const v3RetirementChannel = 'v3_retirement';

/** Makes all replicas read it again when the caller's transaction commits. */
async function announceV3Retirement(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_notify($1, '')`, [v3RetirementChannel]);
}

const insertStep = `
  insert into v3_retirement_steps
    (position, type, recorded_at, operator, reason, text, calls_in_window, threshold)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

/**
 * The notice and the end are a few events in V3's life, so they are written one by one. The commit ends the replicas'
 * caches.
 */
export async function projectV3Retirement(
  transaction: Queryable,
  events: readonly RecordedEvent<RetirementEvent>[],
): Promise<void> {
  for (const event of events) {
    const notice = event.type === 'FinalNoticeIssued' ? event.data : undefined;
    const end = event.type === 'V3Retired' ? event.data : undefined;
    await transaction.query(insertStep, [
      event.position,
      event.type,
      event.recordedAt,
      event.metadata.actor.id,
      event.metadata.reason ?? null,
      notice?.text ?? null,
      end?.callsInWindow ?? null,
      end?.threshold ?? null,
    ]);
  }
  if (events.length > 0) await announceV3Retirement(transaction);
}

const addOrigins = {
  name: 'collection-origins-add',
  text: `
  insert into collection_origins as known
    select * from json_populate_recordset(null::collection_origins, $1)
  on conflict (merchant_id, mode, origin, day)
    do update set collections = known.collections + excluded.collections`,
};

interface OriginRow {
  readonly merchant_id: string;
  readonly mode: string;
  readonly origin: string;
  readonly day: string;
  readonly collections: number;
}

/** Counts a merchant's collections by interface and day (UTC); this shows when a merchant has moved from V3 to V4. */
export async function projectCollectionOrigins(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent>[],
): Promise<void> {
  const rows = new Map<string, OriginRow>();
  for (const event of events) {
    if (event.type !== 'CollectionIntentRecorded') continue;
    const { merchantId, mode, origin } = event.data;
    const day = event.recordedAt.slice(0, 10);
    const key = JSON.stringify([merchantId, mode, origin, day]);
    const collections = (rows.get(key)?.collections ?? 0) + 1;
    rows.set(key, { merchant_id: merchantId, mode, origin, day, collections });
  }
  if (rows.size > 0) await transaction.query(addOrigins, [recordset([...rows.values()])]);
}
