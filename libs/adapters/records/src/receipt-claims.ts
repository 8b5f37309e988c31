import { type ReceiptClaim, ReceiptClaims } from '#domain/collections';
import { type Queryable } from '#infra/postgres';

// The update that changes nothing makes the statement return the row that was there.
const claim = `
  insert into records.receipt_claims as c (mode, receipt, stream, revision) values ($1, $2, $3, $4)
  on conflict (mode, receipt) do update set
    revision = case when c.stream = excluded.stream
      then greatest(c.revision, excluded.revision) else c.revision end
  returning stream, revision`;
const pass = `
  update records.receipt_claims set stream = $3, revision = $4, claimed_at = records.now_()
    where mode = $1 and receipt = $2 and stream = $5 and revision = $6
  returning 1`;

/** Claims of receipts as rows. */
export class RecordedReceiptClaims extends ReceiptClaims {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async claim(wanted: ReceiptClaim): Promise<ReceiptClaim | undefined> {
    const { mode, receipt, stream } = wanted;
    const [row] = await this.database.query<{ stream: string; revision: bigint }>(claim, [
      ...[mode, receipt, stream, numberOf(wanted)],
    ]);
    if (!row) throw new Error('the claim of a receipt gave no row');
    if (row.stream === stream) return undefined;
    const revision = row.revision < 0n ? 'no_stream' : row.revision;
    return { mode, receipt, stream: row.stream, revision };
  }

  override async pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    const values = [to.mode, to.receipt, to.stream, numberOf(to), from.stream, numberOf(from)];
    return (await this.database.query(pass, values)).length > 0;
  }
}

function numberOf({ revision }: ReceiptClaim): bigint {
  return revision === 'no_stream' ? -1n : revision;
}
