import { instantFromMs } from '#domain/kernel';
import { type LedgerItem } from '#domain/reconciliation';
import {
  type FindingSituation,
  findingStep,
  type MissedPayment,
  type MissedSituation,
  missedStep,
  type UnclearReversal,
} from '#desk/operators';
import { commandLine } from './commands.js';

/** The next step for an open finding: a sentence, and the commands to paste in this order. */
export function nextStep(...[finding, report]: Parameters<typeof findingStep>): {
  readonly what: string;
  readonly commands: readonly string[];
} {
  const { situation, actions, isProposed } = findingStep(finding, report);
  const text = situationText(situation);
  const what = isProposed
    ? `${text} This is already proposed. Another operator must confirm it.`
    : text;
  return { what, commands: actions.map(commandLine) };
}

/** The next step for a payment of the rail's list that is not in the ledger: a sentence, and its command. */
export function missedNextStep(payment: MissedPayment): {
  readonly what: string;
  readonly command: string;
} {
  const { situation, action } = missedStep(payment);
  return { what: missedText(situation), command: commandLine(action) };
}

function situationText(situation: FindingSituation): string {
  if (isPlain(situation)) return plain[situation.code];
  switch (situation.code) {
    case 'may_be_explained':
      return explainedText(situation);
    case 'unclear_reversal':
      return `The rail reversed ${nameOf(situation.item)}. ${unclear[situation.why](situation.item)}`;
    case 'not_settled_here':
      return `Open the review of ${nameOf(situation.item)}, which is ${situation.item.state} here, with this line. Another operator must confirm it.`;
    case 'reversed':
      return `The rail reversed ${nameOf(situation.item)}. Post the reversal, and return the fee.`;
    case 'reversed_from_suspense':
      return `The rail reversed ${nameOf(situation.item)}, which is in suspense. Decide it as refunded.`;
    case 'second_payment_reversed':
      return `The rail reversed a second payment of ${nameOf(situation.item)}. Take it from suspense.`;
    case 'paid_twice':
      return `${situation.item.reference} was already paid. Post this payment to suspense. Then return it at the rail, or give it to the merchant.`;
    case 'not_sent_back':
      return `It was decided as refunded, but no statement shows the reversal of ${situation.receipt}. Look for it at the rail, and reverse the payment if there is none. Then reconcile the day of the reversal, and this day again.`;
    case 'partly_recorded':
      return `The record of ${situation.date} is incomplete. Look at that day’s statement. Take nothing back that it shows.`;
  }
}

const plain = {
  withdrawal:
    'Money was withdrawn to a bank, but not as a known sweep. If it went to our bank, post it there.',
  not_asked_for: 'No collection requested it. Post it to suspense until its merchant is known.',
  paid_to_account: 'It was paid to this account without a collection. Post it to the wallet.',
  unknown_reversal:
    'The rail reversed an unknown payment. Post the reversal to suspense until its merchant is known.',
  held: 'It is in suspense. Decide if it goes to the merchant or back to the customer.',
  held_and_reversed: 'It is in suspense, and the rail reversed it. Decide it as refunded.',
  arrival_differs:
    'The statement and PesaPost have different amounts. Compare both before you decide.',
  posting_differs: 'The posted amount differs from the rail’s. Post the difference.',
  line_may_show_it:
    'A line of the statement without an item may be its payment. Settle that line first. Take nothing back before that.',
  never_moved:
    'Check the statements of the days before and after, and of its short code. If the rail never moved the money, take it back.',
  receipt_repeated_here:
    'Another item has the same receipt, so one payment was posted twice. The item may be another merchant’s. Compare both, and take back the wrong one.',
  receipt_repeated_there:
    'The file shows it twice. Export it again. If it is still there twice, ask the rail.',
  nothing: '',
} as const;

type PlainSituation = Extract<FindingSituation, { code: keyof typeof plain }>;

function isPlain(situation: FindingSituation): situation is PlainSituation {
  return situation.code in plain;
}

const unclear = {
  of_correction: () => 'It is a correction, so post the opposite.',
  same_direction: () => 'But both move money the same way. Check if it is a returned charge.',
  corrected_already: () =>
    'Corrections already took it back. If one of them is this reversal, nothing is left to do.',
  held_differs: () => 'A different amount is in suspense. Compare both before you decide.',
  returned_before: () => 'It already left suspense by another reversal. Ask the rail.',
  returned_differs: () => 'A different amount left suspense. Compare both.',
  not_settled: ({ state }) =>
    `It is ${state} here. Settle its payment first, then reconcile again.`,
} as const satisfies Record<UnclearReversal, (item: LedgerItem) => string>;

function explainedText(situation: Extract<FindingSituation, { code: 'may_be_explained' }>): string {
  const { candidates, mayBeOthers, isReversal, mayOpen } = situation;
  const named = candidates.map((item) => `${nameOf(item)} (${stateText(item)})`);
  if (mayBeOthers) named.push('an item of another merchant that shares this short code');
  const explains = isReversal ? 'It may be what the rail reversed.' : 'It may explain this line.';
  const opens = mayOpen ? ' If the line is its payment, open its review with it.' : '';
  return `First look at ${named.join(', or ')}. ${explains} Post nothing to suspense before that.${opens}`;
}

function nameOf({ type, reference }: LedgerItem): string {
  return `${type} ${reference}`;
}

function stateText({ type, state, isGiven, atMs }: LedgerItem): string {
  if (type === 'payout' && state !== 'posted')
    return isGiven
      ? `${state}, given to the rail at ${instantFromMs(atMs)}`
      : `${state}, not given to the rail by this log`;
  return state === 'posted' ? 'posted without a receipt' : `${state} here`;
}

const missed = {
  nobody_asked:
    'No collection requested it. Post it to suspense. Then give it to its merchant, or return it.',
  not_settled:
    'No status query settles its collection. Open its review. Another operator must confirm it.',
  paid_twice:
    'Its collection was already paid. Post it to suspense. Then return it at the rail, or give it to the merchant.',
  another_amount:
    'Its collection was posted without a receipt and with a different amount, so this may be the same payment. If it is, ' +
    'post the difference, without a receipt. If it is a second payment, post all of it to suspense, with its receipt.',
  merchant_held_back:
    'It may be the payment of a merchant whose views have stopped. Repair them first. Post nothing before that.',
} as const;

function missedText(situation: MissedSituation): string {
  if (situation.code !== 'may_be_of') return missed[situation.code];
  const names = situation.items.map(({ key }) => `${key.reference} of merchant ${key.merchantId}`);
  return `It may be the payment of ${names.join(', or of ')}. Look there first. Post nothing before that. If it is, open that item’s review with receipt ${situation.receipt}.`;
}
