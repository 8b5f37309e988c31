import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type AccountDay } from './account-day.js';

/** A correction that waits for a second operator. */
export interface WaitingCorrection {
  readonly id: string;
  readonly mode: Mode;
  /** The stream of the item that it corrects. */
  readonly corrects: string | null;
  readonly receipt: string | null;
}

/** Corrections of a merchant that people have already proposed. */
export interface ProposedCorrections {
  readonly waiting: readonly WaitingCorrection[];
  /** The number of all that ever existed, by the stream of the corrected item. */
  readonly countOf: ReadonlyMap<string, number>;
}

const waits = 'posted_at is null and ended_at is null';

const ofMerchant = `
  select id, mode, corrects, receipt, ${waits} as waits from corrections
  where mode = $1 and merchant_id = $2 and (corrects is not null or ${waits})
  order by position`;

export async function proposedCorrections(
  transaction: Queryable,
  { mode, merchantId }: AccountDay,
): Promise<ProposedCorrections> {
  const rows = await transaction.query<WaitingCorrection & { readonly waits: boolean }>(
    ofMerchant,
    [mode, merchantId],
  );
  const corrected = Map.groupBy(rows, ({ corrects }) => corrects ?? '');
  return {
    waiting: rows.filter((row) => row.waits),
    countOf: new Map([...corrected].map(([stream, found]) => [stream, found.length])),
  };
}
