import { shillingsFromMinor } from '#shared/simulator';
import { newRequestId } from './payment.js';
import { newConversationId, payoutResultTexts } from './payout.js';
import { numberTime, type Parameter, RawNumber, resultEnvelope } from './result.js';
import type { Transaction } from './transaction.js';

/** Daraja's codes for a transaction that it does not find. */
const notFound = {
  byReceipt: { code: 2032, text: 'The receipt number does not exist.' },
  byId: { code: 2033, text: 'The transaction does not exist.' },
} as const;

/** Returns the answer to a status query about a transaction that the rail does not know. */
export function unknownBody(asked: keyof typeof notFound, nowMs: number): string {
  return resultEnvelope({
    ...ownIds(nowMs),
    ...notFound[asked],
    transactionId: '',
    parameters: [],
  });
}

/**
 * Returns the answer to a status query: the query's own ids outside, the transaction's among the parameters. Only a
 * transaction that took place has a receipt.
 */
export function statusBody(transaction: Transaction, nowMs: number): string {
  const { ids, receipt, status, endedAtMs } = transaction;
  const named: readonly Parameter[] = ids
    ? [
        ['OriginatorConversationID', ids.originatorConversationId],
        ['ConversationID', ids.conversationId],
      ]
    : [];
  const done: readonly Parameter[] =
    status === 'Completed'
      ? [
          ['ReceiptNo', receipt],
          ['FinalisedTime', numberTime(endedAtMs ?? 0)],
        ]
      : [];
  return resultEnvelope({
    ...ownIds(nowMs),
    code: 0,
    text: payoutResultTexts[0],
    transactionId: receipt,
    parameters: [
      ['DebitPartyName', transaction.debitParty],
      ['CreditPartyName', transaction.creditParty],
      ...named,
      ['Amount', new RawNumber(shillingsFromMinor(transaction.amountMinor))],
      ['TransactionStatus', status],
      ['InitiatedTime', numberTime(transaction.begunAtMs)],
      ...done,
    ],
  });
}

function ownIds(nowMs: number): { originatorConversationId: string; conversationId: string } {
  return { originatorConversationId: newRequestId(), conversationId: newConversationId(nowMs) };
}
