import { type Instant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { minuteOf, recordset } from '#views/view-set';

/** The change of one state's items that began in one minute. */
interface Move {
  readonly merchant_id: string;
  readonly mode: string;
  readonly account_no: string;
  readonly currency: string;
  /** The beginning of the minute, or an instant that has no minute of its own. */
  readonly began_at: Instant;
  readonly type: string;
  readonly status: string;
  readonly failure_code: string;
  readonly under_review: boolean;
  items: bigint;
  amount_minor: bigint;
  fee_minor: bigint;
}

const key = [
  ...(['merchant_id', 'mode', 'account_no', 'day', 'currency'] as const),
  ...(['type', 'status', 'failure_code', 'under_review'] as const),
] as const;
const state = 'currency, type, status, failure_code, under_review';
const sums = ['items', 'amount_minor', 'fee_minor'] as const;

// A row that has no items left goes: otherwise a rebuild in other batches would have other rows. Each state is also
// summed up for all accounts of the merchant, and for all merchants.
const move = {
  name: 'day-figures-move',
  text: `
  merge into day_figures f
  using (
    select coalesce(told.merchant_id, '') as merchant_id, told.mode, coalesce(told.account_no, '') as account_no,
      told.day, ${state}, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(', ')}
    from (
      select told.*, (told.began_at at time zone m.timezone)::date as day
      from json_to_recordset($1) as told (merchant_id text, mode text, account_no text, currency text,
        began_at timestamptz, type text, status text, failure_code text, under_review boolean,
        items bigint, amount_minor numeric(38, 0), fee_minor numeric(38, 0))
      join merchants m on m.merchant_id = told.merchant_id
    ) told
    group by grouping sets (
      (told.merchant_id, told.mode, told.account_no, told.day, ${state}),
      (told.merchant_id, told.mode, told.day, ${state}),
      (told.mode, told.day, ${state})
    )
    having ${sums.map((sum) => `sum(${sum}) <> 0`).join(' or ')}
  ) n
  on ${key.map((column) => `f.${column} = n.${column}`).join(' and ')}
  when matched and f.items + n.items = 0 then delete
  when matched then update set ${sums.map((sum) => `${sum} = f.${sum} + n.${sum}`).join(', ')}
  when not matched then insert (${[...key, ...sums].join(', ')})
    values (${[...key, ...sums].map((column) => `n.${column}`).join(', ')})`,
};

/**
 * Moves the batch's items from the state that they had before it to the one that they have after it (LIST-26). States
 * in between leave no trace, so the batches' bounds do not matter.
 * @param stored the rows before the batch, of items that existed
 * @param touched the rows after it
 */
export async function projectDayFigures(
  transaction: Queryable,
  stored: ReadonlyMap<string, TransactionRow>,
  touched: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const moves = new Map<string, Move>();
  for (const [stream, row] of touched) {
    const before = stored.get(stream);
    if (before && countsAlike(before, row)) continue;
    if (before) add(moves, before, -1n);
    add(moves, row, 1n);
  }
  const rows = [...moves.values()].filter(
    ({ items, amount_minor, fee_minor }) => items !== 0n || amount_minor !== 0n || fee_minor !== 0n,
  );
  if (rows.length > 0) await transaction.query(move, [recordset(rows)]);
}

function countsAlike(before: TransactionRow, row: TransactionRow): boolean {
  return (
    before.status === row.status &&
    before.failure_code === row.failure_code &&
    before.under_review === row.under_review &&
    before.amount_minor === row.amount_minor &&
    before.fee_minor === row.fee_minor
  );
}

function add(moves: Map<string, Move>, row: TransactionRow, sign: 1n | -1n): void {
  const { merchant_id, mode, account_no, currency, type, status, under_review } = row;
  const began_at = minuteOf(row.created_at);
  const failure_code = row.failure_code ?? '';
  const at = `${began_at} ${status} ${failure_code} ${type} ${String(under_review)} ${mode} ${currency} ${account_no} ${merchant_id}`;
  let sum = moves.get(at);
  if (!sum) {
    const place = { merchant_id, mode, account_no, currency, began_at };
    const state = { type, status, failure_code, under_review };
    sum = { ...place, ...state, items: 0n, amount_minor: 0n, fee_minor: 0n };
    moves.set(at, sum);
  }
  sum.items += sign;
  sum.amount_minor += sign * row.amount_minor;
  sum.fee_minor += sign * row.fee_minor;
}
