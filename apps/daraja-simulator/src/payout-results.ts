import { type Minor, parseMinor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import { compactTime } from './east-africa-time.js';
import { payoutResultTexts, type PayoutState } from './payout.js';
import { customerName, type Parameter, RawNumber, resultEnvelope } from './result.js';

/** The result of a payout. It has parameters only on success, and the time is written `21.11.2026 14:05:09`. */
export function resultBody({ payout, settled }: PayoutState, floatMinor: Minor): string {
  const result = settled?.result ?? 0;
  const amount = shillingsFromMinor(parseMinor(payout.amountMinor));
  const paid: Parameter[] = [
    ['TransactionAmount', new RawNumber(amount)],
    ['TransactionReceipt', payout.transactionId],
    ['B2CRecipientIsRegisteredCustomer', 'Y'],
    ['ReceiverPartyPublicName', customerName(payout.phone)],
    ['TransactionCompletedDateTime', dottedTime(settled?.atMs ?? 0)],
    ['B2CUtilityAccountAvailableFunds', new RawNumber(shillingsFromMinor(floatMinor))],
  ];
  return resultEnvelope({
    code: result,
    text: payoutResultTexts[result],
    originatorConversationId: payout.originatorConversationId,
    conversationId: payout.conversationId,
    transactionId: payout.transactionId,
    parameters: result === 0 ? paid : [],
  });
}

function dottedTime(ms: number): string {
  const time = compactTime(ms);
  const day = `${time.slice(6, 8)}.${time.slice(4, 6)}.${time.slice(0, 4)}`;
  return `${day} ${time.slice(8, 10)}:${time.slice(10, 12)}:${time.slice(12, 14)}`;
}
