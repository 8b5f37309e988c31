import { collectionKeyOf } from '#domain/collections';
import { payoutKeyOf } from '#domain/payouts';

/** One difference between a table and the log. Amounts in minor units, all values as text. */
export interface Difference {
  /** The table; `events` if the log contradicts itself. */
  readonly table: string;
  /** `row` if a whole row is missing or in excess. */
  readonly field: string;
  /** The value by the log; null if it has none. */
  readonly expected: string | null;
  /** The value in the table; null if there is none. */
  readonly found: string | null;
  readonly position?: string;
  readonly stream?: string;
  readonly reference?: string;
  /** As ledger entries name it; for a balance, preceded by its mode and currency. */
  readonly account?: string;
}

/** Counts every difference, and keeps the first ones by name. */
export class Differences {
  readonly named: Difference[] = [];
  readonly byTable = new Map<string, number>();
  count = 0;

  constructor(private readonly maxNamed: number) {}

  add(difference: Difference): void {
    const { table, stream } = difference;
    this.count += 1;
    this.byTable.set(table, (this.byTable.get(table) ?? 0) + 1);
    if (this.named.length >= this.maxNamed) return;
    const reference =
      stream === undefined
        ? undefined
        : (collectionKeyOf(stream) ?? payoutKeyOf(stream))?.reference;
    this.named.push({ ...difference, ...(reference === undefined ? {} : { reference }) });
  }
}
