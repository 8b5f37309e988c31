import { assertNever, ok, refuse, type Result } from '#domain/kernel';
import { type Account } from '#domain/merchants';
import { type RailAmount } from '#domain/rails';
import { type Collection } from '../collection.js';
import { type CollectionEvent, type CollectionIntentRecorded } from '../collection.events.js';
import { moneyArrived } from '../confirm/confirm-collection.decide.js';
import { intentRecorded } from '../initiate/intent-recorded.js';
import { paidBy, type ReceivedPayment } from '../receive/receive-payment.decide.js';

/**
 * A reference that a customer types after the account number (C2B-13). It begins with a letter, which shows where
 * the number ends. Customers do not choose between capitals and small letters.
 */
export const expectedReferencePattern = /^[A-Z][A-Z0-9./-]{0,8}$/;

/** The most characters of an account that M-Pesa takes. An account number of ours has ten, so the reference has nine. */
const maxTypedAccount = 20;

/** The account that the customer types; undefined if M-Pesa does not take one that long. */
export function typedAccount(accountNo: string, reference: string): string | undefined {
  const typed = `${accountNo} ${reference}`;
  return typed.length > maxTypedAccount ? undefined : typed;
}

/** A payment that a merchant expects without a push, as an edge has validated it. */
export interface ExpectedPayment {
  readonly account: Account;
  readonly amountMinor: RailAmount;
  /** The rail. */
  readonly channel: string;
  readonly reference: string;
}

/** The intent of an expected payment. Nothing is pushed. */
export function decideExpectPayment({
  account,
  amountMinor,
  channel,
  reference,
}: ExpectedPayment): readonly [CollectionIntentRecorded] {
  return [intentRecorded(account, { amountMinor, channel, reference, origin: 'c2b' })];
}

/**
 * The money of an expected payment. `this`: it has the receipt. `other`: another payment's money, so that it never takes
 * this one. `none`: it still takes money.
 */
export function moneyIn(state: Collection, receipt: string): 'this' | 'other' | 'none' {
  if (state.status === 'none') return 'none';
  if (state.payment.receipt === receipt) return 'this';
  return state.status === 'pending' || state.status === 'failed' ? 'none' : 'other';
}

/**
 * Returns the events of a payment whose customer named an expected one: the posting, or suspense if the amount differs.
 * A repeated report adds nothing. `not_expected`: no payment is expected under the reference, for that account, any
 * more.
 */
export function decideReceiveExpected(
  { payment, account, by }: Omit<ReceivedPayment, 'isNamed'>,
  state: Collection,
  commitment: string,
): Result<readonly CollectionEvent[], 'not_expected'> {
  if (state.status === 'none' || state.intent.origin !== 'c2b') return refuse('not_expected');
  if (state.payment.receipt === payment.receipt) return ok([]);
  switch (state.status) {
    case 'pending':
    case 'failed':
      if (state.intent.accountNo !== account.accountNo) return refuse('not_expected');
      return ok(moneyArrived(by, paidBy(payment), state, commitment));
    case 'completed':
    case 'in_suspense':
    case 'refunded':
      return refuse('not_expected');
    default:
      return assertNever(state);
  }
}
