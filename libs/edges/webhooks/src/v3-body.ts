import { decimalFromMinor, type Mode } from '#domain/kernel';

/** The part of a webhook's body that V3 reports. */
interface V4Webhook {
  readonly id: string;
  readonly mode: Mode;
  readonly data: {
    readonly reference: string;
    readonly rail_reference: string | null;
    readonly status: string;
    /** The digits as they are in the text: an amount is never a floating-point number. */
    readonly amount_minor: bigint;
    readonly currency: string;
    readonly account_no: string;
    readonly receipt: string | null;
  };
}

/** JSON.parse passes the source text of each value. TypeScript's library does not declare this yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Returns the reference of the collection that the webhook is about. @param body as for `v3BodyOf` */
export function referenceOf(body: string): string {
  const { data } = JSON.parse(body) as { readonly data: Pick<V4Webhook['data'], 'reference'> };
  return data.reference;
}

/**
 * Returns the same event in V3's form, with decimal amounts (WEB-8). The same body always gives the same bytes, and
 * `id` identifies repeats.
 * @param body of a webhook about a collection, as V4 sends it
 */
export function v3BodyOf(body: string): string {
  const { id, mode, data } = parse(body, (key, value, { source }) =>
    key === 'amount_minor' && source !== undefined ? BigInt(source) : value,
  ) as V4Webhook;
  return JSON.stringify({
    id,
    status: data.status,
    ref: data.reference,
    transactionId: data.rail_reference,
    amount: decimalFromMinor(data.amount_minor),
    currency: data.currency,
    accountNumber: data.account_no,
    receipt: data.receipt,
    live: mode === 'live' ? 1 : 0,
  });
}
