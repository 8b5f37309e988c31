import { type Minor } from '#domain/kernel';
import { PostedCredits, type Wallet } from '#domain/ledger';
import { type Queryable } from '#infra/postgres';

const selectCredits = {
  name: 'credits-of-wallet',
  text: `
  select credits_minor from balances where mode = $1 and currency = $2 and account = 'wallet:' || $3`,
};

/** Credits as the view of balances has them: it lags, and a view that is being built has too little, never too much. */
export class ProjectedCredits extends PostedCredits {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async creditsOf({ mode, currency, accountNo }: Wallet): Promise<Minor> {
    const values = [mode, currency, accountNo];
    const [row] = await this.database.query<{ credits_minor: string }>(selectCredits, values);
    return BigInt(row?.credits_minor ?? 0);
  }
}

const selectLeft = {
  name: 'reservations-left',
  text: `
  select source from open_reservations
  where source like 'correction-%' and reserved_at <= records.now_() - $1 * interval '1 millisecond'
  order by position limit $2`,
};

/** The streams of corrections whose funds have been reserved for so long without their posting; oldest first. */
export async function unfinishedCorrections(
  database: Queryable,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<string[]> {
  const rows = await database.query<{ source: string }>(selectLeft, [olderThanMs, limit]);
  return rows.map(({ source }) => source);
}
