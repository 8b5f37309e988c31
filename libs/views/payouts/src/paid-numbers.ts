import { type Wallet } from '#domain/ledger';
import { PaidNumbers } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';

const selectPaid = {
  name: 'paid-number',
  text: `select 1 as paid from paid_numbers where mode = $1 and account_no = $2 and phone_hmac = $3`,
};

/** The numbers that a wallet has paid, from the view; a view that lags knows fewer. */
export class ProjectedPaidNumbers extends PaidNumbers {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async hasPaid({ mode, accountNo }: Wallet, phoneHmac: string): Promise<boolean> {
    const rows = await this.database.query(selectPaid, [mode, accountNo, phoneHmac]);
    return rows.length > 0;
  }
}
