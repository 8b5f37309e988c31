import { type RailReferenceClaim, type Claimed, ClaimedReferences } from '#edges/rails';
import { type Queryable } from '#infra/postgres';

// On conflict the update makes the statement return the row that was there. A claim that its own stream makes once more
// is renewed: nobody takes it over meanwhile, and who made it before can not release it any more.
const claim = {
  name: 'confirmed-checkout-claim',
  text: `
    insert into records.confirmed_checkouts as claim (mode, checkout_id, stream) values ($1, $2, $3)
    on conflict (mode, checkout_id) do update set confirmed_at =
      case when claim.stream = excluded.stream
        then greatest(records.now_(), claim.confirmed_at + interval '1 millisecond')
        else claim.confirmed_at end
    returning stream, xmax = 0 as "isNew", confirmed_at as "at"`,
};
const takeOver = `
  update records.confirmed_checkouts set stream = $3,
      confirmed_at = greatest(records.now_(), confirmed_at + interval '1 millisecond')
    where mode = $1 and checkout_id = $2 and stream = $4
      and confirmed_at <= records.now_() - $5 * interval '1 millisecond'
  returning 1`;
const release = `
  delete from records.confirmed_checkouts
    where mode = $1 and checkout_id = $2 and stream = $3 and confirmed_at = $4`;

/** The claims of rail references as rows. */
export class RecordedClaimedReferences extends ClaimedReferences {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async claim({ mode, railReference, stream }: RailReferenceClaim): Promise<Claimed> {
    const [row] = await this.database.query<{ stream: string; isNew: boolean; at: Date }>(claim, [
      mode,
      railReference,
      stream,
    ]);
    if (!row) throw new Error('the claim of a rail reference gave no row');
    return row.stream === stream
      ? { kind: 'claimed', isNew: row.isNew, at: row.at }
      : { kind: 'taken', stream: row.stream };
  }

  override async takeOver(
    { mode, railReference, stream }: RailReferenceClaim,
    from: { readonly stream: string; readonly olderThanMs: number },
  ): Promise<boolean> {
    const values = [mode, railReference, stream, from.stream, from.olderThanMs];
    return (await this.database.query(takeOver, values)).length > 0;
  }

  override async release(
    { mode, railReference, stream }: RailReferenceClaim,
    at: Date,
  ): Promise<void> {
    await this.database.query(release, [mode, railReference, stream, at]);
  }
}
