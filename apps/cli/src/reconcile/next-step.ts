import { instantFromMs } from '#domain/kernel';
import {
  absolute,
  type Finding,
  isHere,
  type LedgerItem,
  type StatementLine,
} from '#domain/reconciliation';
import { sha256Hex } from '#shared/signing';
import {
  type AccountDay,
  type ProposedCorrections,
  type Report,
  type WaitingCorrection,
} from '#views/reconciliations';
import { confirmCorrection, type Movement, named, openReview, postCorrection } from './commands.js';

/** The next step for an open finding, and the commands to paste. */
export interface NextStep {
  readonly what: string;
  readonly commands: readonly string[];
}

/** A step whose corrections are not yet written as commands. */
interface Step {
  readonly what: string;
  readonly commands: readonly (string | Proposal)[];
}

interface Proposal {
  readonly movement: Movement;
  readonly why: string;
}

/** The next step of an open finding (REC-6). */
export function nextStep(
  finding: Finding,
  { day, proposed, wentBack }: Pick<Report, 'day' | 'proposed' | 'wentBack'>,
): NextStep {
  const { what, commands } = stepOf(finding, new Commands(day), wentBack);
  const said = commands.map((each) => {
    if (typeof each === 'string') return { command: each, waits: false };
    const waiting = proposed.waiting.find((of) => isSame(of, each.movement));
    return waiting
      ? { command: confirmCorrection(waiting), waits: true }
      : { command: proposing(each, day, proposed), waits: false };
  });
  const waits = said.some((each) => each.waits);
  return {
    what: waits ? `${what}. That was proposed, and waits for another operator` : what,
    commands: said.map(({ command }) => command),
  };
}

/** Compares corrections by the rail's receipt. A correction without one is the same if it corrects the same (REC-19). */
function isSame({ receipt, corrects }: WaitingCorrection, movement: Movement): boolean {
  return receipt === null
    ? corrects !== null && corrects === movement.corrects
    : receipt === movement.receipt;
}

/**
 * The command that proposes a correction. One without a receipt could be posted twice, from two reports, so its id is
 * derived from its movement and the second is refused. A proposal that ended may be made again.
 */
function proposing(
  { movement, why }: Proposal,
  day: AccountDay,
  { countOf }: ProposedCorrections,
): string {
  const { corrects, receipt, legs } = movement;
  if (receipt !== undefined || corrects === undefined) return postCorrection(day, movement, why);
  const count = countOf.get(corrects) ?? 0;
  const id = idOf([day.mode, corrects, String(count), ...legs.map((leg) => leg.join('='))]);
  return postCorrection(day, { ...movement, id }, why);
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

function stepOf(finding: Finding, commands: Commands, wentBack: Report['wentBack']): Step {
  const { name, line, item, about, isAnother } = finding;
  switch (name) {
    case 'missing_here':
      if (line && mayBeExplained(finding)) return lookFirst(line, finding, commands);
      if (line?.kind === 'reversal' && about && isAnother)
        return reversedAgain(line, about, commands);
      return line ? missingHere(line, about, commands) : nothing;
    case 'in_suspense':
      return item ? inSuspense(item, wentBack.has(item.id), commands) : nothing;
    case 'not_sent_back':
      return item
        ? {
            what: `it was decided that it went back, and no statement shows its reversal: look for that of ${line?.receipt ?? item.reference} at the rail, and reverse it where there is none; then reconcile the day of the reversal, and this one again`,
            commands: [commands.history(item)],
          }
        : nothing;
    case 'amount_differs':
      return line && item ? amountDiffers(line, item, commands) : nothing;
    case 'missing_there':
      if (item && finding.mayBeShown)
        return {
          what: 'a line of the statement that has no item yet may be its payment: settle that one first, and take nothing back before',
          commands: [commands.history(item)],
        };
      if (item?.partlyRecordedOn !== undefined)
        return {
          what: `not all that the statement of ${item.partlyRecordedOn} showed was recorded: look for it there; take nothing back that it shows`,
          commands: [commands.history(item)],
        };
      return {
        what: 'look at the statements of the days beside, and of the short code that it went by; where the rail never moved it, take it back',
        commands: item ? [commands.history(item), ...commands.takeBack(item)] : [],
      };
    case 'duplicate_here':
      return {
        what: 'another item bears its receipt, maybe another merchant’s: one payment was posted twice; look at both, and take this one back where the payment was not for it',
        commands: item ? [...commands.bearers(item), ...commands.takeBack(item)] : [],
      };
    case 'duplicate_there':
      return {
        what: 'the file shows it twice: export it again; where it stays, ask the rail',
        commands: line ? [`npx pesapost find ${line.receipt}`] : [],
      };
    case 'paid_twice':
      return line && about ? paidTwice(line, about, commands) : nothing;
    case 'matched':
    case 'other_day':
    case 'refunded':
    case 'other_account':
    case 'other_merchant':
    case 'not_completed':
    case 'charge':
    case 'transfer':
    case 'outside_day':
      return nothing;
  }
}

const nothing: Step = { what: '', commands: [] };

function inSuspense(item: LedgerItem, isReversed: boolean, commands: Commands): Step {
  const decision = isReversed ? 'refunded' : 'suspense_to_merchant';
  return {
    what: isReversed
      ? 'it lies in suspense, and the rail reversed it: decide that it went back'
      : 'it lies in suspense: decide whether it goes to the merchant or back',
    commands: [commands.show(item), commands.resolve(item, decision)],
  };
}

function mayBeExplained({ candidates = [], mayBeOthers }: Finding): boolean {
  return candidates.length > 0 || mayBeOthers === true;
}

/**
 * A step without a posting, for money that an item may explain. In suspense under its receipt it would block that
 * item's own decision, and the customer might be paid again (REC-30).
 */
function lookFirst(line: StatementLine, finding: Finding, commands: Commands): Step {
  const { candidates = [], mayBeOthers } = finding;
  const named = candidates.map((item) => `${item.type} ${item.reference} (${stateWords(item)})`);
  if (mayBeOthers) named.push('an item of another merchant that shares this short code');
  const isReversal = line.kind === 'reversal';
  const [only, ...more] = candidates;
  const isOnly = only !== undefined && more.length === 0 && !mayBeOthers;
  const opened =
    isOnly && !isReversal && !isHere(only) && (only.type === 'collection' || only.isGiven)
      ? [commands.openReview(only, line)]
      : [];
  const explains = isReversal ? 'may be what the rail reversed' : 'may explain this line';
  return {
    what: `${named.join(', ')} ${explains}: look there first, and post nothing to suspense before${
      opened.length > 0 ? '; if the line is its payment, open its review with it' : ''
    }`,
    commands: [...candidates.map((item) => commands.history(item)), ...opened],
  };
}

function stateWords({ type, state, isGiven, atMs }: LedgerItem): string {
  if (type === 'payout' && state !== 'posted')
    return isGiven
      ? `${state}, given to the rail at ${instantFromMs(atMs)}`
      : `${state}, not given to the rail by this log`;
  return state === 'posted' ? 'posted without a receipt' : `${state} here`;
}

function missingHere(line: StatementLine, about: LedgerItem | undefined, commands: Commands): Step {
  if (line.kind === 'reversal') return reversed(line, about, commands);
  if (about)
    return {
      what: `${about.type} ${about.reference} is ${about.state} here: open its review with this line; another operator confirms`,
      commands: [commands.openReview(about, line)],
    };
  const { accountNo } = commands.day;
  const isOwn = line.code === accountNo;
  const account = isOwn ? `wallet:${accountNo}` : 'suspense';
  return {
    what: isOwn
      ? 'paid to this account without a collection: post it to the wallet'
      : 'no collection asked for it: post it to suspense until its merchant is known',
    commands: [
      commands.correct(line, {
        legs: [
          [account, line.amountMinor],
          ['rail-clearing:mpesa', -line.amountMinor],
        ],
        receipt: line.receipt,
      }),
    ],
  };
}

/** The second payment is in suspense (see paidTwice). */
function reversedAgain(line: StatementLine, about: LedgerItem, commands: Commands): Step {
  return {
    what: `the rail reversed another payment of ${about.type} ${about.reference}: take it from suspense, where that payment belongs`,
    commands: [commands.history(about), commands.toSuspense(line, about)],
  };
}

/** The reversed money is where its payment was posted: only money in a wallet is taken from one (REC-6). */
function reversed(line: StatementLine, about: LedgerItem | undefined, commands: Commands): Step {
  if (!about)
    return {
      what: 'the rail reversed a payment that is not known here: post it to suspense until it is known whose it was',
      commands: [commands.toSuspense(line)],
    };
  const { type, reference, state, amountMinor } = about;
  const isWhole = line.amountMinor === -amountMinor;
  const look = (why: string): Step => ({
    what: `the rail reversed ${type} ${reference}, ${why}`,
    commands: [commands.history(about)],
  });
  if (type === 'correction')
    return look('which is a correction: post the reverse of what it moved');
  if (line.amountMinor > 0n === amountMinor > 0n && amountMinor !== 0n)
    return look('but this moves the same way as that: is it a charge that was given back?');
  switch (state) {
    case 'posted':
      return amountMinor === 0n
        ? look('which corrections took back: where one of them is this reversal, nothing is left')
        : reversedFromWallet(line, about, commands);
    case 'held':
      return isWhole
        ? {
            what: `the rail reversed ${type} ${reference}, which lies in suspense: decide that it went back`,
            commands: [commands.show(about), commands.resolve(about, 'refunded')],
          }
        : look('but a different amount of it is in suspense: look at both before you decide');
    case 'returned':
      return look(
        isWhole
          ? 'which left suspense by another reversal: ask the rail'
          : 'but a different amount of it left suspense: look at both',
      );
    case 'pending':
    case 'failed':
      return look(`which is ${state} here: settle its payment first, then reconcile again`);
  }
}

function reversedFromWallet(line: StatementLine, about: LedgerItem, commands: Commands): Step {
  const isWhole = line.amountMinor === -about.amountMinor;
  const feeMinor = isWhole && about.type === 'collection' ? about.feeMinor : 0n;
  return {
    what: `the rail reversed ${about.type} ${about.reference}: post what it took, the fee given back with it`,
    commands: [
      commands.correct(line, {
        legs: [
          [`wallet:${commands.day.accountNo}`, line.amountMinor + feeMinor],
          ['fees', -feeMinor],
          ['rail-clearing:mpesa', -line.amountMinor],
        ],
        corrects: about.id,
        receipt: line.receipt,
        ...(line.amountMinor < 0n ? { mayOverdraw: true } : {}),
      }),
    ],
  };
}

function amountDiffers(line: StatementLine, item: LedgerItem, commands: Commands): Step {
  if (item.state !== 'posted' || item.type === 'correction')
    return {
      what: 'the statement shows another amount than arrived here: look at both before it is decided',
      commands: item.type === 'correction' ? [] : [commands.show(item)],
    };
  const moreMinor = line.amountMinor - item.amountMinor;
  return {
    what: 'another amount was posted than the rail moved: post the difference',
    commands: [
      commands.history(item),
      commands.correct(line, {
        legs: [
          [`wallet:${commands.day.accountNo}`, moreMinor],
          ['rail-clearing:mpesa', -moreMinor],
        ],
        corrects: item.id,
      }),
    ],
  };
}

/** With the money in suspense under its receipt, the ledger has it whatever is decided, and no later report repeats it. */
function paidTwice(line: StatementLine, about: LedgerItem, commands: Commands): Step {
  return {
    what: `${about.reference} was paid already: post it to suspense; from there it goes back at the rail or to the merchant`,
    commands: [commands.history(about), commands.toSuspense(line, about)],
  };
}

/** Commands for a person to paste into a shell. Names and reasons are filled in as far as they are known. */
class Commands {
  constructor(readonly day: AccountDay) {}

  show(item: LedgerItem): string {
    return `npx pesapost review show ${this.#named(item)}`;
  }

  history(item: LedgerItem): string {
    return `npx pesapost history ${this.#named(item)}`;
  }

  /** Commands that show the item, and every other item with its receipt. */
  bearers(item: LedgerItem): readonly string[] {
    const { receipt } = item;
    return [this.history(item), ...(receipt === undefined ? [] : [`npx pesapost find ${receipt}`])];
  }

  resolve(item: LedgerItem, decision: string): string {
    return `npx pesapost review resolve ${this.#named(item)} --decision ${decision} --reason "${this.#why()}"`;
  }

  openReview({ type, reference }: LedgerItem, line: StatementLine): string {
    const payment = { receipt: line.receipt, amountMinor: absolute(line.amountMinor) };
    const paidAt = instantFromMs(line.atMs);
    return openReview({ ...this.day, type, reference }, payment, this.#why(line), paidAt);
  }

  /**
   * Commands that take an item's whole money back from where it is: from a wallet with its fee, from suspense by its
   * review (REC-6).
   */
  takeBack(item: LedgerItem): Step['commands'] {
    if (item.type === 'correction') return [];
    if (item.state === 'held') return [this.resolve(item, 'refunded')];
    if (item.state !== 'posted') return [];
    const wallet = item.amountMinor - item.feeMinor;
    return [
      this.correct(undefined, {
        legs: [
          [`wallet:${this.day.accountNo}`, -wallet],
          ['fees', -item.feeMinor],
          ['rail-clearing:mpesa', item.amountMinor],
        ],
        corrects: item.id,
      }),
    ];
  }

  /** The line's money to or from suspense, under its receipt. */
  toSuspense(line: StatementLine, about?: LedgerItem): Proposal {
    return this.correct(line, {
      legs: [
        ['suspense', line.amountMinor],
        ['rail-clearing:mpesa', -line.amountMinor],
      ],
      ...(about === undefined ? {} : { corrects: about.id }),
      receipt: line.receipt,
    });
  }

  correct(line: StatementLine | undefined, movement: Movement): Proposal {
    return { movement, why: this.#why(line) };
  }

  #named({ type, reference }: LedgerItem): string {
    return named({ ...this.day, type, reference });
  }

  #why(line?: StatementLine): string {
    const row = line === undefined ? '' : `, row ${line.line}`;
    return `statement of ${this.day.date}${row}`;
  }
}
