import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Mode, modes } from '#domain/kernel';
import { merchantIdOf, type PauseEvent } from '#domain/merchants';
import { pausesStream } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';

const insert = `
  insert into payout_pauses (merchant_id, mode, since) select $1, unnest($2::text[]), $3
  on conflict do nothing`;
const remove = `delete from payout_pauses where merchant_id = $1 and mode = any($2::text[])`;

/** Stores the modes in which payouts are paused. Operators pause a few times a year, so each event is written alone. */
export async function projectPayoutPauses(
  transaction: Queryable,
  events: readonly RecordedEvent<PauseEvent>[],
): Promise<void> {
  for (const { type, stream, data, recordedAt } of events) {
    const whose = stream === pausesStream ? '' : merchantIdOf(stream);
    const paused = data.mode === undefined ? modes : [data.mode];
    if (type === 'PayoutsPaused') await transaction.query(insert, [whose, paused, recordedAt]);
    else await transaction.query(remove, [whose, paused]);
  }
}

/** A pause of a mode's payouts, of one merchant or of all. */
export interface PayoutPause {
  readonly merchantId: string | undefined;
  readonly mode: Mode;
  readonly since: Instant;
  /** The number of approved payouts that it keeps from being sent. */
  readonly payouts: number;
}

const select = {
  name: 'payout-pauses',
  text: `
  select p.merchant_id, p.mode, p.since, (
    select count(*)::integer from open_payouts o join transactions t on t.stream = o.stream
    where o.step = 'approved' and o.mode = p.mode and p.merchant_id in ('', t.merchant_id)
  ) as payouts
  from payout_pauses p order by p.since, p.merchant_id, p.mode`,
};

/** All pauses, oldest first. @throws DependencyUnavailable */
export async function payoutPauses(database: Queryable): Promise<readonly PayoutPause[]> {
  const rows = await database.query<{
    readonly merchant_id: string;
    readonly mode: Mode;
    readonly since: Date;
    readonly payouts: number;
  }>(select, []);
  return rows.map(({ merchant_id, since, ...pause }) => ({
    ...pause,
    merchantId: merchant_id === '' ? undefined : merchant_id,
    since: instantFromMs(since.getTime()),
  }));
}

/** True if a pause keeps a row `o` of open_payouts, with its transaction `t`, from being sent. */
export const isPaused = `
  exists (select from payout_pauses p where p.mode = o.mode and p.merchant_id in ('', t.merchant_id))`;
