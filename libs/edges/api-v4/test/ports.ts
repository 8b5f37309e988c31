import { type PushOutcome, type QueryOutcome, Rail, type RailLimits } from '#domain/rails';
import { type Account, MerchantDirectory } from '#domain/merchants';
import { PayoutPhones, PayoutRail } from '#domain/payouts';

/** The only account that `OneAccount` knows. */
export const account: Account = {
  merchantId: 'm1',
  mode: 'demo',
  accountNo: '1000000001',
  currency: 'KES',
  feeSchedule: { basisPoints: 150, flatMinor: 0n },
  channels: ['mpesa'],
};

export class OneAccount extends MerchantDirectory {
  override findAccount(
    merchantId: string,
    mode: Account['mode'],
    accountNo: string,
  ): Promise<Account | undefined> {
    const found =
      account.merchantId === merchantId && account.mode === mode && account.accountNo === accountNo;
    return Promise.resolve(found ? account : undefined);
  }
}

/** The simulator's limits: any amount up to KES 250,000. */
export const anyAmount: RailLimits = {
  maxMinor: 25_000_000n,
  stepMinor: 1n,
  currencies: ['KES'],
};

/** A rail that only gives its limits to the edge. */
export class LimitsOnly extends Rail {
  constructor(private readonly its: RailLimits = anyAmount) {
    super();
  }
  override channels = () => ['mpesa'];
  override limits = (): RailLimits => this.its;
  override push = (): Promise<PushOutcome> => Promise.reject(new Error('no test pushes here'));
  override query = (): Promise<QueryOutcome> => Promise.reject(new Error('no test queries here'));
}

/** A rail that takes every push. */
export class Accepting extends LimitsOnly {
  override push = (): Promise<PushOutcome> =>
    Promise.resolve({ kind: 'accepted', railReference: 'ws_CO_1', merchantRequestId: '1' });
}

const nobody = (): Promise<never> => Promise.reject(new Error('no test pays out here'));

/** A rail that only gives its payout limits to the edge. */
export class PayoutLimitsOnly extends PayoutRail {
  override channels = () => ['mpesa'];
  override payoutLimits = (): RailLimits => anyAmount;
  override reverses = (): boolean => true;
  override pay = nobody;
  override floatOf = nobody;
}

/** Stores nothing, because no payout is recorded here. */
export class NoPayoutPhones extends PayoutPhones {
  override tracesOf = () => ({ phoneHmac: '', phoneMasked: '' });
  override keep = nobody;
  override keepAll = nobody;
  override find = nobody;
  override forget = nobody;
  override forgetAll = nobody;
}
