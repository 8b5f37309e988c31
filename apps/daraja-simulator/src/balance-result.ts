import { type Minor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import type { Memory } from './memory.js';
import { newRequestId } from './payment.js';
import { newConversationId, payoutResultTexts } from './payout.js';
import { numberTime, resultEnvelope } from './result.js';

/**
 * Returns the answer to a query of a short code's balance: each account with its current, available, reserved and
 * uncleared sum. The working account of collections has the statement's balance of collections, and the utility account
 * of payouts that of payouts. If both have one short code, it has both accounts.
 */
export function balanceBody(
  { workingMinor, utilityMinor }: Pick<Memory, 'workingMinor' | 'utilityMinor'>,
  { takes, pays }: { readonly takes: boolean; readonly pays: boolean },
  nowMs: number,
): string {
  const accounts = [
    accountText('Working Account', takes ? workingMinor : 0n),
    accountText('Float Account', 0n),
    accountText('Utility Account', pays ? utilityMinor : 0n),
    // This rail charges nothing, and settles at once.
    accountText('Charges Paid Account', 0n),
    accountText('Organization Settlement Account', 0n),
  ];
  return resultEnvelope({
    code: 0,
    text: payoutResultTexts[0],
    originatorConversationId: newRequestId(),
    conversationId: newConversationId(nowMs),
    transactionId: '0000000000',
    parameters: [
      ['AccountBalance', accounts.join('&')],
      ['BOCompletedTime', numberTime(nowMs)],
    ],
  });
}

/** Returns an account as results write it: no part of its sum is reserved or uncleared. */
export function accountText(name: string, sumMinor: Minor): string {
  const sum = shillingsFromMinor(sumMinor);
  return `${name}|KES|${sum}|${sum}|0.00|0.00`;
}
