import { type Instant, instantFromMs, ok, refuse, type Result } from '#domain/kernel';
import { type LedgerAccount, type Leg } from '#domain/ledger';
import { redactText } from '#infra/runtime';

/** A fault of an operator's input. */
export type TypedWrong =
  | 'words_length'
  | 'words_unseen'
  | 'words_hold_phone'
  | 'receipt_form'
  | 'receipt_is_phone'
  | 'amount_form'
  | 'amount_nothing'
  | 'time_form'
  | 'leg_form'
  | 'id_form';

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

/** `NLJ7RT61SV` of M-Pesa, `MP261129.1430.L06941` of Airtel Money. */
const receiptPattern = /^(?=.{6,32}$)[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*$/;

/** Reads a receipt as the rail prints it: M-Pesa's has capitals and no dot, any other is kept as it is. */
export function readReceipt(text: string): Typed<string> {
  const typed = text.trim();
  const receipt = typed.includes('.') ? typed : typed.toUpperCase();
  if (!receiptPattern.test(receipt)) return refuse('receipt_form');
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
  /^(wallet:[0-9]{1,32}|(?:rail-clearing|bank-settlement):[a-z]+|fees|suspense)=([+-]?)([1-9]\d{0,14})$/;

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
