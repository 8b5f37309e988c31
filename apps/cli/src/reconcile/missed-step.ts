import { type ListedUnmatched } from '#adapters/records';
import { itemOf } from '#views/cases';
import { named, openReview, postCorrection } from './commands.js';

/** The currency that M-Pesa carries. */
export const railCurrency = 'KES';

const words = {
  nobody_asked:
    'no collection asked for it: post it to suspense; from there it goes to the wallet of the merchant that it was for, or back',
  not_settled:
    'its collection is not settled by any query: open its review; another operator confirms',
  paid_twice:
    'its collection was paid already: post it to suspense; from there it goes back at the rail or to the merchant',
  another_amount:
    'its collection was posted without a receipt and with another amount, so this may be the same payment: where it is, ' +
    'post the difference, without a receipt; where it came on top, post the whole of it to suspense, under its receipt',
} as const;

/** A payment, and the streams of collections that may explain it; undefined if that is not known (REC-31). */
export interface MissedPayment extends ListedUnmatched {
  readonly mayBe: readonly string[] | undefined;
}

interface MissedStep {
  readonly what: string;
  readonly command: string;
}

/**
 * The next step for a payment of the rail's list that is not in the ledger, and its command (REC-21). Money that no
 * query settles goes to suspense under its receipt, so that the ledger has it whatever is decided. If the merchant is
 * unknown, the command has a placeholder for a person to fill in.
 */
export function missedStep(payment: MissedPayment): MissedStep {
  const { stream, mode, receipt, amountMinor, day, mayBe } = payment;
  const why = whyNow(payment);
  if (why === 'nobody_asked' && (mayBe === undefined || mayBe.length > 0))
    return lookFirst(receipt, mayBe ?? []);
  const what = words[why];
  const reason = `asked the rail about ${day}`;
  const item = stream === null ? undefined : itemOf(stream);
  // The time is left out, because the time zone of the list is not certain (REC-22).
  if (item && why === 'not_settled')
    return { what, command: openReview({ type: item.type, ...item.key }, payment, reason) };
  if (item && why === 'another_amount')
    return { what, command: `npx pesapost history ${named({ type: item.type, ...item.key })}` };
  const command = postCorrection(
    { merchantId: item?.key.merchantId ?? 'MERCHANT', mode, currency: railCurrency },
    {
      legs: [
        ['suspense', amountMinor],
        ['rail-clearing:mpesa', -amountMinor],
      ],
      ...(item && stream !== null ? { corrects: stream } : {}),
      receipt,
    },
    reason,
  );
  return { what, command };
}

/**
 * A step without a posting: with the money in suspense, a query that settles the collection would post it a second time
 * (REC-31).
 */
function lookFirst(receipt: string, mayBe: readonly string[]): MissedStep {
  const items = mayBe.flatMap((stream) => itemOf(stream) ?? []);
  const [first] = items;
  if (!first)
    return {
      what: 'a merchant is held back, whose payment it may be: repair that first, and post nothing before',
      command: 'npx pesapost status',
    };
  const names = items.map(({ key }) => `${key.reference} of merchant ${key.merchantId}`);
  return {
    what: `it may be the payment of ${names.join(', or of ')}: look there first, and post nothing before. If it is, open the review of that one with receipt ${receipt}`,
    command: `npx pesapost history ${named({ type: first.type, ...first.key })}`,
  };
}

/** The reason as it is now: the collection may have been settled since the rail reported the payment. */
function whyNow({ why, holds }: ListedUnmatched): keyof typeof words {
  if (holds === 'nothing') return why;
  return holds === 'another_amount' ? 'another_amount' : 'paid_twice';
}
