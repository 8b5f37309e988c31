import { eastAfricaDigits, shillings } from './callback-body.js';

type Parameter = readonly [key: string, json: string];

interface ResultBody {
  readonly code: string;
  readonly originatorConversationId: string;
  readonly conversationId: string;
  readonly transactionId: string;
  readonly parameters?: readonly Parameter[];
}

/** The facts of a payment in its result and in the answers about it. */
export interface ReportedPayment {
  readonly originatorConversationId: string;
  readonly conversationId: string;
  readonly receipt: string;
  readonly paid?: { readonly amountMinor: bigint; readonly atMs: number };
}

/** Returns the result of a payout, as Daraja would send it. */
export function payoutResultBody(payment: ReportedPayment, code: string): Buffer {
  const { paid, receipt } = payment;
  const parameters: readonly Parameter[] = paid
    ? [
        ['TransactionAmount', shillings(paid.amountMinor)],
        ['TransactionReceipt', `"${receipt}"`],
        ['TransactionCompletedDateTime', `"${dotted(paid.atMs)}"`],
      ]
    : [];
  return envelope({ ...payment, code, transactionId: receipt, parameters });
}

/** Returns the answer to a status query, with its own names outside and the payment's among the parameters. */
export function payoutStatusBody(payment: ReportedPayment, status: string): Buffer {
  const { paid, receipt } = payment;
  const fate: readonly Parameter[] =
    paid && status === 'Completed'
      ? [
          ['Amount', shillings(paid.amountMinor)],
          ['ReceiptNo', `"${receipt}"`],
          ['FinalisedTime', eastAfricaDigits(paid.atMs)],
        ]
      : [];
  return envelope({
    ...question,
    code: '0',
    transactionId: receipt,
    parameters: [
      ['OriginatorConversationID', `"${payment.originatorConversationId}"`],
      ['ConversationID', `"${payment.conversationId}"`],
      ['TransactionStatus', `"${status}"`],
      ...fate,
    ],
  });
}

/** Returns the answer about a payment that the rail never received. */
export function unknownPaymentBody(): Buffer {
  return envelope({ ...question, code: '2033', transactionId: '' });
}

/** Returns the balance of the account that pays out. */
export function floatBody(minor: bigint): Buffer {
  const sum = minor < 0n ? `-${shillings(-minor)}` : shillings(minor);
  return envelope({
    ...question,
    code: '0',
    transactionId: '0000000000',
    parameters: [['AccountBalance', `"Utility Account|KES|${sum}|${sum}|0.00|0.00"`]],
  });
}

/** Returns the report that the queue took too long, which says nothing about the payment. */
export function queueTimeoutBody(): Buffer {
  return envelope({ ...question, code: '1', transactionId: '' });
}

const question = { originatorConversationId: 'q-1', conversationId: 'AG_question' } as const;

function envelope({ code, transactionId, parameters = [], ...names }: ResultBody): Buffer {
  const list = parameters.map(([key, json]) => `{"Key":"${key}","Value":${json}}`).join(',');
  const told = list === '' ? '' : `,"ResultParameters":{"ResultParameter":[${list}]}`;
  const resultCode = /^\d+$/.test(code) ? code : `"${code}"`;
  return Buffer.from(
    `{"Result":{"ResultType":0,"ResultCode":${resultCode},"ResultDesc":"",` +
      `"OriginatorConversationID":"${names.originatorConversationId}",` +
      `"ConversationID":"${names.conversationId}","TransactionID":"${transactionId}"${told}}}`,
  );
}

function dotted(ms: number): string {
  const digits = eastAfricaDigits(ms);
  const [day, month, year] = [digits.slice(6, 8), digits.slice(4, 6), digits.slice(0, 4)];
  return `${day}.${month}.${year} ${digits.slice(8, 10)}:${digits.slice(10, 12)}:${digits.slice(12, 14)}`;
}
