import { type ReceiptClaim, ReceiptClaims, type StandingClaim } from '#domain/reviews';
import { type Queryable } from '#infra/postgres';

// The update that changes nothing makes the statement return the existing row.
const claim = `
  insert into records.receipt_claims as c (mode, receipt, stream, revision) values ($1, $2, $3, $4)
  on conflict (mode, receipt) do update set
    revision = case when c.stream = excluded.stream
      then greatest(c.revision, excluded.revision) else c.revision end,
    claimed_at = case when c.stream = excluded.stream then records.now_() else c.claimed_at end,
    appended_at = case when c.stream = excluded.stream then null else c.appended_at end
  returning stream, revision, appended_at is not null as "isAppended",
    (extract(epoch from records.now_() - greatest(claimed_at, appended_at)) * 1000)::float8 as "ageMs"`;
const appended = `
  update records.receipt_claims set appended_at = records.now_()
    where mode = $1 and receipt = $2 and stream = $3 and revision = $4`;
const pass = `
  update records.receipt_claims set stream = $3, revision = $4, claimed_at = records.now_(), appended_at = null
    where mode = $1 and receipt = $2 and stream = $5 and revision = $6
  returning 1`;

type ClaimRow = Pick<StandingClaim, 'stream' | 'isAppended' | 'ageMs'> & {
  readonly revision: bigint;
};

/** Claims of receipts as rows. */
export class RecordedReceiptClaims extends ReceiptClaims {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async claim(wanted: ReceiptClaim): Promise<StandingClaim | undefined> {
    const { mode, receipt, stream } = wanted;
    const [row] = await this.database.query<ClaimRow>(claim, [
      ...[mode, receipt, stream, numberOf(wanted)],
    ]);
    if (!row) throw new Error('the claim of a receipt gave no row');
    if (row.stream === stream) return undefined;
    const revision = row.revision < 0n ? 'no_stream' : row.revision;
    return { ...row, mode, receipt, revision };
  }

  override async appended(made: ReceiptClaim): Promise<void> {
    const { mode, receipt, stream } = made;
    await this.database.query(appended, [mode, receipt, stream, numberOf(made)]);
  }

  override async pass(from: ReceiptClaim, to: ReceiptClaim): Promise<boolean> {
    const values = [to.mode, to.receipt, to.stream, numberOf(to), from.stream, numberOf(from)];
    return (await this.database.query(pass, values)).length > 0;
  }
}

function numberOf({ revision }: ReceiptClaim): bigint {
  return revision === 'no_stream' ? -1n : revision;
}
