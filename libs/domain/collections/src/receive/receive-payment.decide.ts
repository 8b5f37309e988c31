import { type Instant, type Minor } from '#domain/kernel';
import { suspenseLegs } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { type ReportSource } from '#domain/rails';
import {
  type CollectionEvent,
  type ReviewFlagged,
  type SuspensePosted,
} from '../collection.events.js';
import { confirmation, type Paid, posting } from '../confirm/confirm-collection.decide.js';
import { intentRecorded } from '../initiate/intent-recorded.js';

/** A payment that the rail took without a push of ours. The receipt is its identity. */
export interface UnaskedPayment {
  /** The rail. */
  readonly channel: string;
  readonly receipt: string;
  readonly amountMinor: Minor;
  /** Absent if the rail's time cannot be read. */
  readonly paidAt?: Instant;
  readonly phoneMasked?: string;
}

/** A payment, and the account to which it belongs. */
export interface ReceivedPayment {
  readonly payment: UnaskedPayment;
  readonly account: Account;
  /** False if the customer named no account of ours: the money waits in suspense for a person (C2B-5). */
  readonly isNamed: boolean;
  /** `callback`: the rail's own notice. `query`: the rail's list of the payments that it took. */
  readonly by: Exclude<ReportSource, 'operator'>;
}

/** The rail's own code for a payment that was made. */
const paidResultCode = '0';

/** The reference of a payment without a push: `~` is in no reference of a merchant (C2B-3). */
export function receivedReference({
  channel,
  receipt,
}: Pick<UnaskedPayment, 'channel' | 'receipt'>): string {
  return `${channel}~${receipt}`;
}

/**
 * Returns all events of a payment without a push, one append to a new stream: it is posted, or in suspense and under
 * review. The fee is that of the account's current terms.
 * @param commitment commitment to the evidence of the rail's message, which is all that such a payment rests on
 */
export function decideReceivePayment(
  { payment, account, isNamed, by }: ReceivedPayment,
  commitment: string,
): readonly CollectionEvent[] {
  const { channel, amountMinor, phoneMasked } = payment;
  const intent = intentRecorded(account, {
    amountMinor,
    channel,
    reference: receivedReference(payment),
    ...(phoneMasked === undefined ? {} : { phoneMasked }),
    origin: 'c2b',
  });
  if (!isNamed) return [intent, suspense(payment), notNamed];
  const asked = { intent: intent.data, requestCommitment: commitment };
  return [intent, confirmation(by, paidBy(payment)), posting(asked, commitment)];
}

/** The rail's statement that the payment was made. */
export function paidBy(payment: UnaskedPayment): Paid {
  return { kind: 'paid', resultCode: paidResultCode, ...arrivalOf(payment) };
}

function suspense(payment: UnaskedPayment): SuspensePosted {
  const { channel: rail, amountMinor } = payment;
  const legs = suspenseLegs({ rail, amountMinor });
  return { type: 'SuspensePosted', data: { ...arrivalOf(payment), legs } };
}

function arrivalOf({ receipt, amountMinor, paidAt }: UnaskedPayment) {
  return { receipt, amountMinor, ...(paidAt === undefined ? {} : { paidAt }) };
}

const notNamed: ReviewFlagged = { type: 'ReviewFlagged', data: { why: 'account_not_named' } };
