import { account } from '../names.js';
import { type PayoutPlan } from '../payout-plan.js';
import { type MemoryLog } from './log.js';

/** Makes the accounts' balances before the first payout, as corrections by operators. */
export function openAccounts(log: MemoryLog, { payouts, opening }: PayoutPlan): void {
  if (payouts.length === 0) return;
  for (const [accountNo, amountMinor] of opening) {
    if (amountMinor === 0n) continue;
    const { merchantId, mode, currency } = account(0, accountNo);
    const legs = [
      { account: `wallet:${accountNo}`, amountMinor },
      { account: 'suspense', amountMinor: -amountMinor },
    ];
    const by = { why: 'opening', proposedBy: 'asha', confirmedBy: 'ben' };
    log.append(`correction-${mode}:opening-${accountNo}`, 'no_stream', [
      {
        id: `opening-${accountNo}`,
        event: { type: 'CorrectionPosted', data: { merchantId, mode, currency, legs, ...by } },
        metadata: { correlationId: 'opening', actor: { kind: 'operator', id: 'ben' }, v: 1 },
      },
    ]);
  }
}
