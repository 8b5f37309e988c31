import { type TransactionItem } from '#views/transactions';
import { type ItemRefund } from './refunds-of.js';
import { type RefundProblem } from './typed-refund.js';

type Words<Name extends string> = Readonly<Record<Name, string>>;

/** The English texts of refunds: the form, and the facts on the pages of items. */
export const english = {
  action: 'Refund',
  title: (reference: string) => `Refund ${reference}`,
  intro:
    'The money goes back to the customer who paid. A refund has no fee, and the fee of the payment is not returned.',
  how: 'Amount to refund',
  whole: (amount: string) => `Whole payment, ${amount}`,
  wholeHint: 'M-Pesa reverses the payment. You do not need the phone number.',
  part: 'Part of the payment',
  partHint: 'PesaPost sends the amount to the number that paid.',
  left: (amount: string) => `Up to ${amount} can be refunded.`,
  phone: 'Number that paid',
  phoneHint: (masked: string) => `Enter the whole number that paid: ${masked}.`,
  reference: 'Reference of the refund',
  check: 'Review refund',
  checkIntro: 'Nothing is requested yet. Compare the summary, then request the refund.',
  submit: 'Request refund',
  summaryHint:
    'The amount, its receiver and the balance after appear here before you request anything.',
  way: 'How it goes back',
  ways: { reversed: 'M-Pesa reverses the payment', sent: 'Sent to the number that paid' },
  leftAfter: 'Left to refund',
  short: 'The account does not have enough for this refund.',
  done: {
    refund_asked: 'Refund requested. Another person must approve it.',
    refund_existing: 'This refund was already requested. No second refund was made.',
  },
  confirm: { approve: 'Approve this refund', reject: 'Reject this refund' },
  sum: 'Refunded',
  list: 'Refunds',
  states: {
    open: 'Pending',
    paid: 'Refunded',
    released: 'Not refunded',
  } satisfies Words<ItemRefund['state']>,
  marks: {
    pending: 'Refund pending',
    partial: 'Partly refunded',
    refunded: 'Refunded',
  } satisfies Words<NonNullable<TransactionItem['refund_status']>>,
  correct: 'Correct (refunded by hand)',
  problems: {
    amount: 'Enter an amount such as 1250 or 1250.50.',
    phone: 'Enter a Kenyan mobile number, such as 0712345678.',
    reference:
      'A reference begins with a letter or digit and has up to 64 letters, digits and . _ : / -',
    phone_in_reference: 'A reference must not contain the customer’s number.',
    reference_taken: 'Another payout or refund has this reference. Choose another reference.',
    no_rail: 'Refunds are not available in this mode.',
    not_refundable:
      'This payment cannot be refunded. It is not completed, PesaPost reviews it, or nothing of it is left.',
    exceeds: 'This is more than what is left of the payment.',
    invalid_amount: 'M-Pesa cannot send this amount to a number. Enter another amount.',
    only_whole:
      'M-Pesa hides the number that paid, so this payment can only be reversed as a whole. Contact PesaPost support with the reference.',
    phone_needed: 'Enter the number that paid. M-Pesa does not reverse this amount.',
    phone_differs: 'This is not the number that paid. A refund goes to no other number.',
    destination_not_allowed:
      'This number is not on the list of numbers that may be paid. PesaPost maintains the list.',
    limit_exceeded: 'This is above the limit for one payout or for one day.',
    insufficient_funds: 'The account does not have enough for this refund.',
    unbound_holder:
      'PesaPost does not know which person you are in this mode. Ask PesaPost to bind your holder.',
    role_lost: 'You no longer have the role for this. Ask a PesaPost admin.',
  } satisfies Words<RefundProblem>,
};
