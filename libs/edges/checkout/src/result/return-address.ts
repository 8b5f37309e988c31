import { decimalFromMinor, formatMinor, instantFromMs, type Minor } from '#domain/kernel';
import { checkoutHashV3, checkoutResultHashV4, parseQuery } from '#shared/signing';
import { type PaymentAttempt, attemptReference } from '../attempts/payment-attempt.js';
import { type CheckoutLink, type V3Link, type V4Link } from '../link/checkout-link.js';

/** The result that a merchant receives when the customer comes back. */
interface CheckoutResult {
  readonly status: 'pending' | 'completed' | 'failed';
  /** The attempt's own reference, as in the transaction list. */
  readonly collection: string;
  readonly amountMinor: Minor;
  readonly receipt?: string;
  readonly failureCode?: string;
}

const v4ResultNames = [
  ...['reference', 'status', 'amount_minor', 'currency', 'collection'],
  ...['receipt', 'failure_code', 'key_id', 'timestamp', 'hash'],
];
const v3ResultNames = [
  ...['status', 'ttl', 'curr', 'oid', 'tme', 'transactionId', 'inv'],
  ...['p1', 'p2', 'p3', 'p4', 'hsh'],
];

/**
 * True if a result can be added to the address. The address's own query must be valid text and have none of the
 * result's names: with two values under one name, one would not be ours.
 */
export function canCarryResult(url: URL, version: CheckoutLink['version']): boolean {
  const parameters = parseQuery(url.search.slice(1));
  if (!parameters.ok) return false;
  const ours = new Set(version === 'v4' ? v4ResultNames : v3ResultNames);
  return parameters.value.every(([name]) => !ours.has(name));
}

/**
 * Returns the address that the customer goes back to, with a result that the link's secret signs (docs/adr/0019).
 * @returns undefined if the link names no address
 */
export function returnAddress(
  link: CheckoutLink,
  attempt: PaymentAttempt,
  nowMs: number,
): string | undefined {
  if (!link.returnUrl) return undefined;
  const result = resultOf(link, attempt);
  const added =
    link.version === 'v4' ? v4Result(link, result, nowMs) : v3Result(link, result, nowMs);
  const url = new URL(link.returnUrl);
  const own = url.search.slice(1);
  url.search = [...(own === '' ? [] : [own]), ...added.map(encoded)].join('&');
  if (link.version === 'v3') return url.href;
  const hash = checkoutResultHashV4(link.key.secret, url.search.slice(1));
  if (!hash.ok) throw new TypeError('an address that cannot carry a result was let in');
  url.search = `${url.search}&hash=${hash.value}`;
  return url.href;
}

function resultOf(
  link: CheckoutLink,
  { number, collection: state }: PaymentAttempt,
): CheckoutResult {
  const collection = attemptReference(link.reference, number);
  const asked = { collection, amountMinor: state.intent.amountMinor };
  switch (state.status) {
    case 'completed': {
      const { receipt } = state.payment;
      return {
        status: 'completed',
        collection,
        amountMinor: state.postedMinor,
        ...(receipt === undefined ? {} : { receipt }),
      };
    }
    case 'failed':
      return { ...asked, status: 'failed', failureCode: state.failureCode };
    case 'refunded':
      return { ...asked, status: 'failed', failureCode: 'refunded' };
    case 'pending':
    case 'in_suspense':
      return { ...asked, status: 'pending' };
  }
}

type Parameter = readonly [name: string, value: string];

function v4Result(link: V4Link, result: CheckoutResult, nowMs: number): Parameter[] {
  const { receipt, failureCode } = result;
  return [
    ['reference', link.reference],
    ['status', result.status],
    ['amount_minor', formatMinor(result.amountMinor)],
    ['currency', link.account.currency],
    ['collection', result.collection],
    ...(receipt === undefined ? [] : [['receipt', receipt] as const]),
    ...(failureCode === undefined ? [] : [['failure_code', failureCode] as const]),
    ['key_id', link.values.key_id],
    ['timestamp', Math.floor(nowMs / 1000).toString()],
  ];
}

/**
 * Returns the result in V3's form, whose hash joins the values without a separator, as in its links. Their order still
 * makes the important ones unambiguous:
 * - The status is one of three words.
 * - The amount ends where the currency's letters begin.
 * - The time has a space at its eleventh place, which no reference has.
 *
 * No link begins with a status, so no link's hash is a result's.
 */
function v3Result(link: V3Link, result: CheckoutResult, nowMs: number): Parameter[] {
  const { ttl, curr, oid, inv, p1, p2, p3, p4 } = link.values;
  const asked = result.amountMinor === link.amountMinor;
  const parameters: Parameter[] = [
    ['status', result.status],
    ['ttl', asked ? ttl : decimalFromMinor(result.amountMinor)],
    ['curr', curr],
    ['oid', oid],
    ['tme', instantFromMs(nowMs).slice(0, 19).replace('T', ' ')],
    ['transactionId', result.receipt ?? ''],
    ['inv', inv],
    ['p1', p1],
    ['p2', p2],
    ['p3', p3],
    ['p4', p4],
  ];
  const hash = checkoutHashV3(
    link.key.secret,
    parameters.map(([, value]) => value),
  );
  return [...parameters, ['hsh', hash]];
}

function encoded([name, value]: Parameter): string {
  return `${name}=${encodeURIComponent(value)}`;
}
