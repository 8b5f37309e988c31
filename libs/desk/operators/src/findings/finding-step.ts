import { type Finding, isHere, type LedgerItem, type StatementLine } from '#domain/reconciliation';
import { sha256Hex } from '#shared/signing';
import {
  type ProposedCorrections,
  type Report,
  type WaitingCorrection,
} from '#views/reconciliations';
import { type CorrectionToPropose, type DeskAction, type Movement } from './actions.js';
import { FindingActions } from './finding-actions.js';

/** The reason why a reversal by the rail is only to be looked at. */
export type UnclearReversal =
  | 'of_correction'
  | 'same_direction'
  | 'corrected_already'
  | 'held_differs'
  | 'returned_before'
  | 'returned_differs'
  | 'not_settled';

/** The situation of an open finding, with the facts that its sentence names. */
export type FindingSituation =
  | {
      readonly code: 'may_be_explained';
      readonly candidates: readonly LedgerItem[];
      /** True if an item of another merchant may explain it too. */
      readonly mayBeOthers: boolean;
      readonly isReversal: boolean;
      /** True if a review may be opened with the line. */
      readonly mayOpen: boolean;
    }
  | { readonly code: 'unclear_reversal'; readonly item: LedgerItem; readonly why: UnclearReversal }
  | {
      readonly code:
        | 'not_settled_here'
        | 'reversed'
        | 'reversed_from_suspense'
        | 'second_payment_reversed'
        | 'paid_twice';
      readonly item: LedgerItem;
    }
  | { readonly code: 'not_sent_back'; readonly receipt: string }
  | { readonly code: 'partly_recorded'; readonly date: string }
  | {
      readonly code:
        | 'not_asked_for'
        | 'withdrawal'
        | 'paid_to_account'
        | 'unknown_reversal'
        | 'held'
        | 'held_and_reversed'
        | 'arrival_differs'
        | 'posting_differs'
        | 'line_may_show_it'
        | 'never_moved'
        | 'receipt_repeated_here'
        | 'receipt_repeated_there'
        | 'nothing';
    };

/** The next step for an open finding: its situation, and the actions for it in their order. */
export interface FindingStep {
  readonly situation: FindingSituation;
  readonly actions: readonly DeskAction[];
  /** True if a correction was proposed already, and another operator must confirm it. */
  readonly isProposed: boolean;
}

type Step = Pick<FindingStep, 'situation' | 'actions'>;

/** Returns the next step of an open finding (REC-6). */
export function findingStep(
  finding: Finding,
  { day, proposed, wentBack }: Pick<Report, 'day' | 'proposed' | 'wentBack'>,
): FindingStep {
  const { situation, actions } = stepOf(finding, new FindingActions(day), wentBack);
  const current = actions.map((action) =>
    action.do === 'propose_correction' ? proposalNow(action, proposed) : action,
  );
  const isProposed = current.some((action) => action.do === 'confirm_correction');
  return { situation, actions: current, isProposed };
}

/**
 * The confirmation of a correction that is proposed already, or else its proposal. One without a receipt could be posted
 * twice, from two reports, so its id is derived from its movement and the second is refused. A proposal that ended may
 * be made again.
 */
function proposalNow(
  proposal: CorrectionToPropose,
  { waiting, countOf }: ProposedCorrections,
): DeskAction {
  const { movement, mode } = proposal;
  const same = waiting.find((of) => isSame(of, movement));
  if (same) return { do: 'confirm_correction', id: same.id, mode: same.mode };
  const { corrects, receipt, legs } = movement;
  if (receipt !== undefined || corrects === undefined) return proposal;
  const count = countOf.get(corrects) ?? 0;
  const moved = legs.map(({ account, amountMinor }) => `${account}=${amountMinor}`);
  return {
    ...proposal,
    movement: { ...movement, id: idOf([mode, corrects, String(count), ...moved]) },
  };
}

/** Compares corrections by the rail's receipt. A correction without one is the same if it corrects the same (REC-19). */
function isSame({ receipt, corrects }: WaitingCorrection, movement: Movement): boolean {
  return receipt === null
    ? corrects !== null && corrects === movement.corrects
    : receipt === movement.receipt;
}

/** A UUID of version 8. */
function idOf(words: readonly string[]): string {
  const hex = sha256Hex(words.join('\n'));
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}

const nothing: Step = { situation: { code: 'nothing' }, actions: [] };

function stepOf(finding: Finding, actions: FindingActions, wentBack: Report['wentBack']): Step {
  const { name, line, item, about } = finding;
  switch (name) {
    case 'missing_here':
      return line ? missingHere(line, finding, actions) : nothing;
    case 'in_suspense':
      return item ? inSuspense(item, wentBack.has(item.id), actions) : nothing;
    case 'not_sent_back':
      return item
        ? {
            situation: { code: 'not_sent_back', receipt: line?.receipt ?? item.reference },
            actions: [actions.history(item)],
          }
        : nothing;
    case 'amount_differs':
      return line && item ? amountDiffers(line, item, actions) : nothing;
    case 'missing_there':
      return missingThere(finding, actions);
    case 'duplicate_here':
      return {
        situation: { code: 'receipt_repeated_here' },
        actions: item ? [...actions.bearers(item), ...actions.takeBack(item)] : [],
      };
    case 'duplicate_there':
      return {
        situation: { code: 'receipt_repeated_there' },
        actions: line ? [{ do: 'find', word: line.receipt }] : [],
      };
    case 'paid_twice':
      // With the money in suspense under its receipt, the ledger has it whatever is decided, and no later report
      // repeats it.
      return line && about
        ? {
            situation: { code: 'paid_twice', item: about },
            actions: [actions.history(about), actions.toSuspense(line, about)],
          }
        : nothing;
    case 'withdrawal':
      return line
        ? { situation: { code: 'withdrawal' }, actions: [actions.toBank(line)] }
        : nothing;
    case 'matched':
    case 'other_day':
    case 'refunded':
    case 'other_account':
    case 'other_merchant':
    case 'not_completed':
    case 'charge':
    case 'sweep':
    case 'transfer':
    case 'outside_day':
      return nothing;
  }
}

function missingHere(line: StatementLine, finding: Finding, actions: FindingActions): Step {
  const { about, isAnother, candidates = [], mayBeOthers } = finding;
  if (candidates.length > 0 || mayBeOthers === true) return mayBeExplained(line, finding, actions);
  if (line.kind === 'reversal')
    return about && isAnother
      ? {
          // The second payment is in suspense (see paid_twice).
          situation: { code: 'second_payment_reversed', item: about },
          actions: [actions.history(about), actions.toSuspense(line, about)],
        }
      : reversed(line, about, actions);
  if (about)
    return {
      situation: { code: 'not_settled_here', item: about },
      actions: [actions.openReview(about, line)],
    };
  return line.code === actions.day.accountNo
    ? { situation: { code: 'paid_to_account' }, actions: [actions.toWallet(line)] }
    : { situation: { code: 'not_asked_for' }, actions: [actions.toSuspense(line)] };
}

/**
 * A step without a posting, for money that an item may explain. In suspense under its receipt it would block that
 * item's own decision, and the customer might be paid again (REC-30).
 */
function mayBeExplained(line: StatementLine, finding: Finding, actions: FindingActions): Step {
  const { candidates = [], mayBeOthers = false } = finding;
  const isReversal = line.kind === 'reversal';
  const [only, ...more] = candidates;
  const opened =
    only !== undefined &&
    more.length === 0 &&
    !mayBeOthers &&
    !isReversal &&
    !isHere(only) &&
    (only.type === 'collection' || only.isGiven)
      ? [actions.openReview(only, line)]
      : [];
  return {
    situation: {
      code: 'may_be_explained',
      candidates,
      mayBeOthers,
      isReversal,
      mayOpen: opened.length > 0,
    },
    actions: [...candidates.map((item) => actions.history(item)), ...opened],
  };
}

function inSuspense(item: LedgerItem, isReversed: boolean, actions: FindingActions): Step {
  return {
    situation: { code: isReversed ? 'held_and_reversed' : 'held' },
    actions: [
      actions.review(item),
      actions.resolve(item, isReversed ? 'refunded' : 'suspense_to_merchant'),
    ],
  };
}

/** The reversed money is where its payment was posted: only money in a wallet is taken from one (REC-6). */
function reversed(
  line: StatementLine,
  about: LedgerItem | undefined,
  actions: FindingActions,
): Step {
  if (!about)
    return { situation: { code: 'unknown_reversal' }, actions: [actions.toSuspense(line)] };
  const { type, state, amountMinor } = about;
  const isWhole = line.amountMinor === -amountMinor;
  const unclear = (why: UnclearReversal): Step => ({
    situation: { code: 'unclear_reversal', item: about, why },
    actions: [actions.history(about)],
  });
  if (type === 'correction') return unclear('of_correction');
  if (line.amountMinor > 0n === amountMinor > 0n && amountMinor !== 0n)
    return unclear('same_direction');
  switch (state) {
    case 'posted':
      return amountMinor === 0n
        ? unclear('corrected_already')
        : {
            situation: { code: 'reversed', item: about },
            actions: [actions.fromWallet(line, about)],
          };
    case 'held':
      return isWhole
        ? {
            situation: { code: 'reversed_from_suspense', item: about },
            actions: [actions.review(about), actions.resolve(about, 'refunded')],
          }
        : unclear('held_differs');
    case 'returned':
      return unclear(isWhole ? 'returned_before' : 'returned_differs');
    case 'pending':
    case 'failed':
      return unclear('not_settled');
  }
}

function amountDiffers(line: StatementLine, item: LedgerItem, actions: FindingActions): Step {
  if (item.state !== 'posted' || item.type === 'correction')
    return {
      situation: { code: 'arrival_differs' },
      actions: item.type === 'correction' ? [] : [actions.review(item)],
    };
  return {
    situation: { code: 'posting_differs' },
    actions: [actions.history(item), actions.difference(line, item)],
  };
}

function missingThere({ item, mayBeShown }: Finding, actions: FindingActions): Step {
  if (!item) return { situation: { code: 'never_moved' }, actions: [] };
  const look = [actions.history(item)];
  if (mayBeShown) return { situation: { code: 'line_may_show_it' }, actions: look };
  const { partlyRecordedOn: date } = item;
  if (date !== undefined) return { situation: { code: 'partly_recorded', date }, actions: look };
  return { situation: { code: 'never_moved' }, actions: [...look, ...actions.takeBack(item)] };
}
