import { payoutLegs, reservationsStream } from '#domain/ledger';
import { lateSourceOf, payoutStream } from '#domain/payouts';
import { type History, useHistory } from '#testing';
import { expect, it } from '@jest/globals';

let history: History;
useHistory((begun) => {
  history = begun;
});

const of = { merchantId: 'm-1', mode: 'demo' } as const;
const wallet = { ...of, accountNo: '1001', currency: 'KES' } as const;
const amountMinor = 4000n;
const claim = { payoutReference: 'R-1', amountMinor };
const payout = payoutStream({ ...of, reference: 'R-1' });
const reserve = (source: string, isTaken: boolean, totalMinor: bigint) => {
  history.append(reservationsStream(wallet), {
    type: isTaken ? 'FundsReserved' : 'ReservationReleased',
    data: { source, amountMinor, totalMinor },
  });
};

/** Appends a reversal that fails, and that the rail reports as paid after that. */
async function refundPaidLate(): Promise<void> {
  const collection = await history.intend('INV-1');
  history.pay(collection);
  const request = { ...wallet, amountMinor, feeMinor: 0n, channel: 'mpesa', reference: 'R-1' };
  const refund = { reference: 'INV-1', reverses: 'RINV-1' };
  history.append(payout, { type: 'PayoutRequested', data: { ...request, refund, holder: 'asha' } });
  reserve(payout, true, amountMinor);
  history.append(collection, {
    type: 'RefundReserved',
    data: { ...claim, openMinor: amountMinor, refundedMinor: 0n },
  });
  history.append(
    payout,
    { type: 'PayoutReserved', data: { reservationsRevision: '0' } },
    { type: 'PayoutApproved', data: { holder: 'joseph', amountMinor } },
    { type: 'RailPayoutStarted', data: { originatorConversationId: 'pp-1' } },
    {
      type: 'RailPayoutAccepted',
      data: { conversationId: 'AG_1', originatorConversationId: 'rail-1' },
    },
    { type: 'RailDeclined', data: { by: 'callback', failureCode: 'rail_declined' } },
  );
  reserve(payout, false, 0n);
  history.append(collection, {
    type: 'RefundReleased',
    data: { ...claim, openMinor: 0n, refundedMinor: 0n },
  });
  const paid = { by: 'query', resultCode: '0', receipt: 'NLK8RU72TW', amountMinor } as const;
  history.append(payout, { type: 'RailConfirmed', data: paid });
  reserve(lateSourceOf(payout), true, amountMinor);
  const legs = payoutLegs({ rail: 'mpesa', accountNo: '1001', amountMinor, feeMinor: 0n });
  const requestCommitment = 'c'.repeat(64);
  history.append(
    payout,
    { type: 'WalletPosted', data: { ...request, legs, requestCommitment } },
    { type: 'ReviewFlagged', data: { why: 'paid_after_decline' } },
  );
  history.append(collection, {
    type: 'RefundPaid',
    data: { ...claim, openMinor: 0n, refundedMinor: amountMinor },
  });
}

it.each([1, 2, 3, 4, 5, 7])(
  'the views of a refund that is paid late verify clean after every %i events',
  async (batch) => {
    await refundPaidLate();
    while (!history.isProjected) {
      await history.projectSome(batch);
      expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
    }
    const sums = `select refunding_minor, refunded_minor from transactions where reference = 'INV-1'`;
    expect(await history.database.query(sums)).toEqual([
      { refunding_minor: 0n, refunded_minor: amountMinor },
    ]);
    expect(await history.database.query('select stream from open_refunds')).toEqual([]);
  },
);
