import { type Instant, instantFromMs, ok, refuse, type Result } from '#domain/kernel';
import { type LedgerAccount, type Leg } from '#domain/ledger';
import { redactText } from '#infra/runtime';

const ledgerAccounts = 'wallet:<account number>, rail-clearing:mpesa, fees or suspense';

/** Faults of an operator's input in English, for the command line. */
export const typedWrong = {
  words_length: 'must be 1 to 500 characters',
  words_unseen: 'must hold no control characters, and none that turn the direction of writing',
  words_hold_phone: 'must hold no phone number: events are for ever',
  receipt_form: 'must be 6 to 20 letters and digits, as NLJ7RT61SV',
  receipt_is_phone: 'must be no phone number: events are for ever',
  amount_form: 'must be a whole number of minor units',
  amount_nothing: 'must be 1 or more',
  time_form: 'must be RFC 3339 with a zone, as 2026-11-20T10:15:00+03:00',
  leg_form: `must read <account>=<minor units>, a debit negative; accounts: ${ledgerAccounts}`,
  id_form: 'must be a UUID',
} as const;

export type TypedWrong = keyof typeof typedWrong;
type Typed<Value> = Result<Value, TypedWrong>;

/** Characters that a terminal acts on, or that reorder text: a reason could hide the amount next to it. */
const unseen = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const newLines = /\s*[\t\r\n\u2028\u2029]+\s*/g;

/**
 * Reads text for an event. Events are permanent, so the text names no customer. It is one line: another line could be
 * mistaken for a field.
 */
export function readForEver(text: string): Typed<string> {
  const words = text.trim().replace(newLines, ' ');
  if (words === '' || words.length > 500) return refuse('words_length');
  if (unseen.test(words)) return refuse('words_unseen');
  return redactText(words) === words ? ok(words) : refuse('words_hold_phone');
}

/** Reads a receipt as the rail prints it, in capitals. */
export function readReceipt(text: string): Typed<string> {
  const receipt = text.trim().toUpperCase();
  if (!/^[A-Z0-9]{6,20}$/.test(receipt)) return refuse('receipt_form');
  return redactText(receipt) === receipt ? ok(receipt) : refuse('receipt_is_phone');
}

export function readMinorAmount(text: string): Typed<bigint> {
  return /^(0|[1-9]\d{0,11})$/.test(text) ? ok(BigInt(text)) : refuse('amount_form');
}

export function readWholeAmount(text: string): Typed<bigint> {
  const amount = readMinorAmount(text);
  return amount.ok && amount.value === 0n ? refuse('amount_nothing') : amount;
}

/** The statement's times have no zone, so the operator must type one: M-Pesa's is +03:00. */
export function readPaidAt(text: string): Typed<Instant> {
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = hasZone ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? refuse('time_form') : ok(instantFromMs(ms));
}

const legPattern =
  /^(wallet:[0-9]{1,32}|rail-clearing:[a-z]+|fees|suspense)=([+-]?)([1-9]\d{0,14})$/;

/** Reads `wallet:100000001=-9850`: an account and whole minor units, positive for a credit. */
export function readLeg(text: string): Typed<Leg> {
  const match = legPattern.exec(text.trim());
  if (!match) return refuse('leg_form');
  const [, account = '', sign, digits = ''] = match;
  const amountMinor = sign === '-' ? -BigInt(digits) : BigInt(digits);
  return ok({ account: account as LedgerAccount, amountMinor });
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readCorrectionId(text: string): Typed<string> {
  const id = text.trim().toLowerCase();
  return uuid.test(id) ? ok(id) : refuse('id_form');
}
