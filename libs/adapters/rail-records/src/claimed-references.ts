import { type Claimed, ClaimedReferences, type RailReferenceClaim } from '#edges/rails';
import { type Queryable } from '#infra/postgres';

// The update on conflict makes the statement return the existing row. If the same stream claims again, the claim is
// renewed: no other stream takes it over meanwhile, and the earlier claimant can no longer release it.
const claim = {
  name: 'confirmed-checkout-claim',
  text: `
    insert into records.confirmed_checkouts as claim (channel, mode, rail_reference, stream, brought)
      values ($1, $2, $3, $4, $5)
    on conflict (channel, mode, rail_reference) do update set
      confirmed_at = case when claim.stream = excluded.stream
        then greatest(records.now_(), claim.confirmed_at + interval '1 millisecond')
        else claim.confirmed_at end,
      brought = claim.brought or claim.stream = excluded.stream and excluded.brought
    returning stream, xmax = 0 as "isNew", confirmed_at as "at", brought as "isBrought"`,
};
const takeOver = `
  update records.confirmed_checkouts set stream = $4, brought = $5,
      confirmed_at = greatest(records.now_(), confirmed_at + interval '1 millisecond')
    where channel = $1 and mode = $2 and rail_reference = $3 and stream = $6 and not brought
      and confirmed_at <= records.now_() - $7 * interval '1 millisecond'
  returning 1`;
const release = `
  delete from records.confirmed_checkouts
    where channel = $1 and mode = $2 and rail_reference = $3 and stream = $4 and confirmed_at = $5`;

interface ClaimRow {
  readonly stream: string;
  readonly isNew: boolean;
  readonly at: Date;
  readonly isBrought: boolean;
}

/** The claims of rail references as rows. */
export class RecordedClaimedReferences extends ClaimedReferences {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async claim({ isBrought = false, ...made }: RailReferenceClaim): Promise<Claimed> {
    const [row] = await this.database.query<ClaimRow>(claim, [...valuesOf(made), isBrought]);
    if (!row) throw new Error('the claim of a rail reference gave no row');
    return row.stream === made.stream
      ? { kind: 'claimed', isNew: row.isNew, at: row.at }
      : { kind: 'taken', stream: row.stream, isBrought: row.isBrought };
  }

  override async takeOver(
    { isBrought = false, ...wanted }: RailReferenceClaim,
    from: { readonly stream: string; readonly olderThanMs: number },
  ): Promise<boolean> {
    const values = [...valuesOf(wanted), isBrought, from.stream, from.olderThanMs];
    return (await this.database.query(takeOver, values)).length > 0;
  }

  override async release(made: RailReferenceClaim, at: Date): Promise<void> {
    await this.database.query(release, [...valuesOf(made), at]);
  }
}

function valuesOf({ channel, mode, railReference, stream }: RailReferenceClaim) {
  return [channel, mode, railReference, stream];
}
