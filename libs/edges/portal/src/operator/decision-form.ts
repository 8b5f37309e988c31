import { type FoundPayment, type ReviewDecision, type Ruling } from '#domain/reviews';
import { ok, refuse, type Result } from '#domain/kernel';
import { sha256Hex } from '#shared/signing';
import {
  type Case,
  itemStream,
  readForEver,
  readPaidAt,
  readReceipt,
  readWholeAmount,
  type TypedWrong,
} from '#desk/operators';
import { type OperatorTexts } from './operator-texts.js';

/** Errors of a form that was sent, of the whole or of its fields, and the values that it had. */
export interface FormErrors {
  readonly summary?: string;
  readonly fields: readonly { readonly field: string; readonly text: string }[];
  readonly values: URLSearchParams;
}

/** A digest of the item as it was shown, to which a decision is bound. */
export function seenOf(found: Case): string {
  const { events, state } = found;
  const open = found.proposals.find(({ endedAt }) => endedAt === null);
  return sha256Hex(
    [itemStream(found), events.at(-1)?.revision ?? '', state.status, open?.id ?? ''].join('\n'),
  );
}

export interface TypedRuling {
  readonly ruling: Ruling;
  readonly reason: string;
}

/** Reads the ruling as it was typed. The names of the payment's fields contain the decision; the reason is shared. */
export function readRuling(
  decision: ReviewDecision,
  values: URLSearchParams,
  texts: OperatorTexts,
): Result<TypedRuling, FormErrors> {
  const typed = new Typed(decision, values, texts);
  const reason = typed.readField('reason', readForEver);
  const hasPayment = values.has(`${decision}_receipt`);
  const payment = hasPayment ? typedPayment(typed) : undefined;
  if (typed.errors.length > 0 || reason === undefined || (hasPayment && !payment))
    return { ok: false, refusal: { fields: typed.errors, values } };
  const ruling: Ruling =
    decision === 'paid' ? { decision, ...(payment ? { payment } : {}) } : { decision };
  return { ok: true, value: { ruling, reason } };
}

/** Reads the reason of the confirmer, or undefined if they keep the proposer's. */
export function readOwnReason(
  values: URLSearchParams,
  texts: OperatorTexts,
): Result<string | undefined, { readonly field: string; readonly text: string }> {
  const words = (values.get('own_reason') ?? '').trim();
  if (words === '') return ok(undefined);
  const typed = readForEver(words);
  if (typed.ok) return typed;
  return refuse({ field: 'own_reason', text: texts.typed[typed.refusal] });
}

/** Reads a payment that opens a review by hand. */
export function readOpening(
  values: URLSearchParams,
  texts: OperatorTexts,
): Result<{ readonly payment: FoundPayment; readonly reason: string }, FormErrors> {
  const typed = new Typed('open', values, texts);
  const reason = typed.read('reason', readForEver);
  const payment = typedPayment(typed);
  if (reason === undefined || !payment || typed.errors.length > 0)
    return { ok: false, refusal: { fields: typed.errors, values } };
  return { ok: true, value: { payment, reason } };
}

function typedPayment(typed: Typed): FoundPayment | undefined {
  const receipt = typed.read('receipt', readReceipt);
  const amountMinor = typed.read('amount', readWholeAmount);
  const paidAt = typed.readIfAny('paid_at', readPaidAt);
  if (receipt === undefined || amountMinor === undefined) return undefined;
  return { receipt, amountMinor, ...(paidAt === undefined ? {} : { paidAt }) };
}

/** Reads fields one after another and collects their errors. */
export class Typed {
  readonly errors: { readonly field: string; readonly text: string }[] = [];

  constructor(
    private readonly prefix: string,
    private readonly values: URLSearchParams,
    private readonly texts: OperatorTexts,
  ) {}

  read<Value>(name: string, read: (text: string) => Result<Value, TypedWrong>): Value | undefined {
    return this.readField(`${this.prefix}_${name}`, read);
  }

  /** Reads a field whose name has no prefix. */
  readField<Value>(
    field: string,
    read: (text: string) => Result<Value, TypedWrong>,
  ): Value | undefined {
    const text = (this.values.get(field) ?? '').trim();
    if (text === '') {
      this.errors.push({ field, text: this.texts.missing });
      return undefined;
    }
    const typed = read(text);
    if (typed.ok) return typed.value;
    this.errors.push({ field, text: this.texts.typed[typed.refusal] });
    return undefined;
  }

  wrong(name: string, text: string): void {
    this.errors.push({ field: `${this.prefix}_${name}`, text });
  }

  readIfAny<Value>(
    name: string,
    read: (text: string) => Result<Value, TypedWrong>,
  ): Value | undefined {
    const isEmpty = (this.values.get(`${this.prefix}_${name}`) ?? '').trim() === '';
    return isEmpty ? undefined : this.read(name, read);
  }
}
