import { parseMinor, type Minor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import { accountText } from './balance-result.js';
import {
  numberTime,
  organizationName,
  type Parameter,
  customerName,
  RawNumber,
  resultEnvelope,
} from './result.js';
import { reversalResultTexts, type ReversalState } from './reversal.js';

/** Returns the result of a reversal. It has parameters only on success. */
export function reversalBody(
  { reversal, settled }: ReversalState,
  shortcode: string,
  workingMinor: Minor,
): string {
  const result = settled?.result ?? 0;
  const done: readonly Parameter[] = [
    ['DebitAccountBalance', accountText('Working Account', workingMinor)],
    ['Amount', new RawNumber(shillingsFromMinor(parseMinor(reversal.amountMinor)))],
    ['TransCompletedTime', numberTime(settled?.atMs ?? 0)],
    ['OriginalTransactionID', reversal.paidReceipt],
    ['Charge', new RawNumber('0.00')],
    ['CreditPartyPublicName', customerName(reversal.payment?.phone ?? '')],
    ['DebitPartyPublicName', organizationName(shortcode)],
  ];
  return resultEnvelope({
    code: result,
    text: reversalResultTexts[result],
    originatorConversationId: reversal.originatorConversationId,
    conversationId: reversal.conversationId,
    transactionId: reversal.transactionId,
    parameters: result === 0 ? done : [],
    // An address of the rail's own, as Daraja writes it.
    reference: [
      'QueueTimeoutURL',
      'https://internalapi.safaricom.co.ke/mpesa/reversalresults/v1/submit',
    ],
  });
}
