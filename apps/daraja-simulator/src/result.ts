import { compactTime } from './east-africa-time.js';

/** A parameter of a result. */
export type Parameter = readonly [key: string, value: string | RawNumber];

/** A number as Daraja writes it, with two decimals, which JSON.stringify would drop. */
export class RawNumber {
  constructor(readonly text: string) {}
}

/** The content of a result. */
export interface Result {
  /** A number, or a text such as `R000001`, each written as it is. */
  readonly code: number | string;
  readonly text: string;
  readonly originatorConversationId: string;
  readonly conversationId: string;
  readonly transactionId: string;
  readonly parameters: readonly Parameter[];
  /** The one reference of a result, written as an object and not as a list. */
  readonly reference?: readonly [key: string, value: string];
}

/** Returns the body of a result, the same for payouts, reversals and queries. */
export function resultEnvelope(result: Result): string {
  const list = result.parameters.map(([key, value]) => {
    const text = value instanceof RawNumber ? value.text : JSON.stringify(value);
    return `{"Key":"${key}","Value":${text}}`;
  });
  const parameters =
    list.length === 0 ? '' : `,"ResultParameters":{"ResultParameter":[${list.join(',')}]}`;
  return (
    `{"Result":{"ResultType":0,"ResultCode":${JSON.stringify(result.code)},` +
    `"ResultDesc":${JSON.stringify(result.text)},` +
    `"OriginatorConversationID":"${result.originatorConversationId}",` +
    `"ConversationID":"${result.conversationId}","TransactionID":"${result.transactionId}"` +
    `${parameters}${referenceOf(result)}}}`
  );
}

function referenceOf({ reference }: Result): string {
  if (!reference) return '';
  const [Key, Value] = reference;
  return `,"ReferenceData":${JSON.stringify({ ReferenceItem: { Key, Value } })}`;
}

/** Returns a customer as results name one: the full number and a name. */
export function customerName(phone: string): string {
  return `${phone} - TEST CUSTOMER`;
}

export function organizationName(shortcode: string): string {
  return `${shortcode} - Daraja simulator`;
}

/** Returns a time as results write it: a number of fourteen digits in East Africa Time. */
export function numberTime(ms: number): RawNumber {
  return new RawNumber(compactTime(ms));
}

/** Returns the answer to a request whose result comes later. */
export function acceptance(
  ids: Pick<Result, 'conversationId' | 'originatorConversationId'>,
): object {
  return {
    ConversationID: ids.conversationId,
    OriginatorConversationID: ids.originatorConversationId,
    ResponseCode: '0',
    ResponseDescription: 'Accept the service request successfully.',
  };
}
