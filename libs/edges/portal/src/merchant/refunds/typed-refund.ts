import { type RequestRefundRefusal } from '#domain/payouts';

/** The fields of the form. `how` counts only when the form is checked: a whole refund has no typed amount or number. */
export const refundFields = ['how', 'amount', 'phone', 'reference'] as const;
export type RefundField = (typeof refundFields)[number];
export type TypedRefund = Readonly<Record<RefundField, string>>;

/** An error of the form, or the reason of a refusal. */
export type RefundProblem =
  | Exclude<RequestRefundRefusal, 'unknown_collection'>
  | 'amount'
  | 'phone'
  | 'reference'
  | 'reference_taken'
  | 'no_rail';

/** Reads the fields as they were typed. */
export function typedRefund(posted: URLSearchParams): TypedRefund {
  const of = (name: RefundField): string => (posted.get(name) ?? '').trim().slice(0, 80);
  return { how: of('how'), amount: of('amount'), phone: of('phone'), reference: of('reference') };
}

const fields: Partial<Readonly<Record<RefundProblem, RefundField>>> = {
  phone: 'phone',
  phone_needed: 'phone',
  phone_differs: 'phone',
  destination_not_allowed: 'phone',
  reference: 'reference',
  phone_in_reference: 'reference',
  reference_taken: 'reference',
};

/** The field that shows an error: the choice or the amount, if it is the whole form's. */
export function fieldOf(problem: RefundProblem, isWhole: boolean): RefundField {
  return fields[problem] ?? (isWhole ? 'how' : 'amount');
}
