import { type ItemEvent } from '#views/transactions';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { bearersOfReceipts, isFlaggedForReceipt, sharedReceipts } from '#views/reviews';
import { type Differences } from './difference.js';

interface Row {
  readonly receipt: string;
  readonly stream: string;
  readonly expected: boolean;
  readonly found: boolean;
  readonly flagged: boolean | null;
  readonly under_review: boolean;
}

const select = `
  with expected as (${bearersOfReceipts})
  select receipt, stream, e.stream is not null as expected, c.stream is not null as found, c.flagged,
    exists (select 1 from reviews r where r.stream = coalesce(e.stream, c.stream)) as under_review
  from expected e
  full join receipt_conflicts c using (mode, receipt, stream)
  order by receipt, stream`;

/**
 * Compares receipts that several streams have with the list and the corrections, which are themselves compared with the
 * log. A shared receipt without a decision is a difference: the log then records one payment twice.
 */
export class ReceiptsCheck {
  /** The number of streams that share a receipt with another, decided or not. */
  shared = 0;
  readonly #flagged = new Set<string>();
  #rows: readonly Row[] = [];

  observe(event: RecordedEvent<ItemEvent>): void {
    if (isFlaggedForReceipt(event)) this.#flagged.add(event.stream);
  }

  /** Reads the tables; the walk then continues exactly to the position of this snapshot. */
  async read(snapshot: Queryable): Promise<void> {
    this.#rows = await snapshot.query<Row>(select, await sharedReceipts(snapshot));
  }

  finish(differences: Differences): void {
    for (const row of this.#rows) {
      const { receipt, stream, expected, found } = row;
      if (expected) this.shared += 1;
      // The other bearer of a flagged receipt may be quarantined.
      if (expected !== found && !(found && this.#flagged.has(stream))) {
        const [wanted, has] = expected ? [receipt, null] : [null, receipt];
        const where = { table: 'receipt_conflicts', stream, field: 'row' };
        differences.add({ ...where, expected: wanted, found: has });
      }
      const isCorrection = stream.startsWith('correction-');
      const isFlagged = isCorrection || this.#flagged.has(stream);
      if (found && row.flagged !== isFlagged)
        differences.add({
          table: 'receipt_conflicts',
          stream,
          field: 'flagged',
          expected: String(isFlagged),
          found: String(row.flagged),
        });
      if (expected && !isCorrection && (!isFlagged || row.under_review))
        differences.add({
          table: 'events',
          stream,
          field: 'receipt',
          expected: 'a receipt of its own',
          found: `${receipt}, which another stream bears`,
        });
    }
  }
}
