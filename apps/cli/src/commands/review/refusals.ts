import { type RulingRefusal } from '#domain/collections';
import { type PayoutRulingRefusal } from '#domain/payouts';
import { Clock } from '#domain/kernel';
import { type INestApplicationContext } from '@nestjs/common';
import { nextSection, summary } from '../../case/case-text.js';
import { type Item } from '../../case/item.js';
import { loadCase } from '../../case/load-case.js';
import { nextActions } from '../../case/next-actions.js';
import { RailSchedule } from '../../case/rail-schedule.js';
import { Refused } from '../../refused.js';

/** What each refusal means, and what to do. */
export const explain = {
  unknown_collection: 'no such collection: is it the right merchant and mode?',
  not_under_review: 'it is not under review, so there is nothing to decide',
  not_possible: 'this cannot be decided of it as it stands; review show tells what can',
  payment_missing: 'nothing is posted yet: say --receipt and --amount from the rail’s statement',
  payment_not_asked:
    'money is posted already, and --receipt and --amount would post nothing more: leave them out to say that the posting stands',
  invalid_amount: 'an amount is 1 or more, in minor units',
  second_operator_needed: 'money moves: another operator must confirm',
  same_operator: 'refused: another operator than the one who proposed it must confirm',
  unknown_account: 'the merchant’s account is in no view yet: try again when the projector is up',
  receipt_taken: 'another collection has this receipt already: one payment is posted once',
} as const satisfies Record<RulingRefusal | 'receipt_taken', string>;

/** The same of payouts. */
export const explainPayout = {
  not_under_review: explain.not_under_review,
  not_possible: explain.not_possible,
  payment_missing: explain.payment_missing,
  payment_not_asked: explain.payment_not_asked,
  same_operator: explain.same_operator,
  receipt_taken:
    'another payout, a collection or a correction has this receipt already: one payment is posted once',
  unknown_payout: 'no such payout: is it the right merchant and mode?',
  amount_differs:
    'a payout is posted with its own amount: say that one, and correct what the rail paid beyond or below it',
} as const satisfies Record<PayoutRulingRefusal | 'receipt_taken', string>;

/** How the collection or payout stands, for whoever was just refused; nothing where there is none. */
export async function standing(
  app: INestApplicationContext,
  { type, key: { merchantId: merchant, mode, reference } }: Item,
): Promise<readonly string[]> {
  try {
    const found = await loadCase(app, { reference, merchant, mode, type });
    const next = nextActions(found, app.get(RailSchedule));
    return ['', ...summary(found), ...nextSection(next, app.get<Clock>(Clock).now())];
  } catch (error) {
    if (error instanceof Refused) return [];
    throw error;
  }
}
