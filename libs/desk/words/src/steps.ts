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
  const what = isProposed ? `${text}. That was proposed, and waits for another operator` : text;
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
      return `the rail reversed ${nameOf(situation.item)}, ${unclear[situation.why](situation.item)}`;
    case 'not_settled_here':
      return `${nameOf(situation.item)} is ${situation.item.state} here: open its review with this line; another operator confirms`;
    case 'reversed':
      return `the rail reversed ${nameOf(situation.item)}: post what it took, the fee given back with it`;
    case 'reversed_from_suspense':
      return `the rail reversed ${nameOf(situation.item)}, which is in suspense: decide that it went back`;
    case 'second_payment_reversed':
      return `the rail reversed another payment of ${nameOf(situation.item)}: take it from suspense, where that payment belongs`;
    case 'paid_twice':
      return `${situation.item.reference} was paid already: post it to suspense; from there it goes back at the rail or to the merchant`;
    case 'not_sent_back':
      return `it was decided that it went back, and no statement shows its reversal: look for that of ${situation.receipt} at the rail, and reverse it if there is none; then reconcile the day of the reversal, and this one again`;
    case 'partly_recorded':
      return `not all that the statement of ${situation.date} showed was recorded: look for it there; take nothing back that it shows`;
  }
}

const plain = {
  not_asked_for: 'no collection asked for it: post it to suspense until its merchant is known',
  paid_to_account: 'paid to this account without a collection: post it to the wallet',
  unknown_reversal:
    'the rail reversed a payment that is not known here: post it to suspense until it is known whose it was',
  held: 'it is in suspense: decide whether it goes to the merchant or back',
  held_and_reversed: 'it is in suspense, and the rail reversed it: decide that it went back',
  arrival_differs:
    'the statement shows another amount than arrived here: look at both before it is decided',
  posting_differs: 'another amount was posted than the rail moved: post the difference',
  line_may_show_it:
    'a line of the statement that has no item yet may be its payment: settle that one first, and take nothing back before',
  never_moved:
    'look at the statements of the days before and after, and of the short code that it went by; if the rail never moved it, take it back',
  receipt_repeated_here:
    'another item has its receipt, maybe another merchant’s: one payment was posted twice; look at both, and take this one back if the payment was not for it',
  receipt_repeated_there: 'the file shows it twice: export it again; if it stays, ask the rail',
  nothing: '',
} as const;

type PlainSituation = Extract<FindingSituation, { code: keyof typeof plain }>;

function isPlain(situation: FindingSituation): situation is PlainSituation {
  return situation.code in plain;
}

const unclear = {
  of_correction: () => 'which is a correction: post the reverse of what it moved',
  same_direction: () => 'but this moves the same way as that: is it a charge that was given back?',
  corrected_already: () =>
    'which corrections took back: if one of them is this reversal, nothing is left',
  held_differs: () => 'but a different amount of it is in suspense: look at both before you decide',
  returned_before: () => 'which left suspense by another reversal: ask the rail',
  returned_differs: () => 'but a different amount of it left suspense: look at both',
  not_settled: ({ state }) =>
    `which is ${state} here: settle its payment first, then reconcile again`,
} as const satisfies Record<UnclearReversal, (item: LedgerItem) => string>;

function explainedText(situation: Extract<FindingSituation, { code: 'may_be_explained' }>): string {
  const { candidates, mayBeOthers, isReversal, mayOpen } = situation;
  const named = candidates.map((item) => `${nameOf(item)} (${stateText(item)})`);
  if (mayBeOthers) named.push('an item of another merchant that shares this short code');
  const explains = isReversal ? 'may be what the rail reversed' : 'may explain this line';
  const opens = mayOpen ? '; if the line is its payment, open its review with it' : '';
  return `${named.join(', ')} ${explains}: look there first, and post nothing to suspense before${opens}`;
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
    'no collection asked for it: post it to suspense; from there it goes to the wallet of the merchant that it was for, or back',
  not_settled:
    'its collection is not settled by any query: open its review; another operator confirms',
  paid_twice:
    'its collection was paid already: post it to suspense; from there it goes back at the rail or to the merchant',
  another_amount:
    'its collection was posted without a receipt and with another amount, so this may be the same payment: if it is, ' +
    'post the difference, without a receipt; if it came on top, post the whole of it to suspense, under its receipt',
  merchant_held_back:
    'a merchant is held back, whose payment it may be: repair that first, and post nothing before',
} as const;

function missedText(situation: MissedSituation): string {
  if (situation.code !== 'may_be_of') return missed[situation.code];
  const names = situation.items.map(({ key }) => `${key.reference} of merchant ${key.merchantId}`);
  return `it may be the payment of ${names.join(', or of ')}: look there first, and post nothing before. If it is, open the review of that one with receipt ${situation.receipt}`;
}
