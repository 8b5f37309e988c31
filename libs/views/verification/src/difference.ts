import { collectionKeyOf } from '#domain/collections';
import { payoutKeyOf } from '#domain/payouts';

/** One thing in which a table does not say what the log says. Amounts in minor units, all values as text. */
export interface Difference {
  /** The table; `events` where the log contradicts itself. */
  readonly table: string;
  /** `row` where a whole row is missing or is too many. */
  readonly field: string;
  /** By the log; null where it knows nothing of the kind. */
  readonly expected: string | null;
  /** In the table; null where there is nothing. */
  readonly found: string | null;
  readonly position?: string;
  readonly stream?: string;
  readonly reference?: string;
  /** As ledger entries name it; of a balance with its mode and currency in front. */
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
