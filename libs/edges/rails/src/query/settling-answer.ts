import { type QueryOutcome, type Verdict } from '#domain/collections';

/** An answer to a status query that settles something. */
export type SettlingAnswer = Extract<QueryOutcome, { kind: 'paid' | 'declined' }>;

/** What the answer says, without its bytes: they are evidence and belong into no event's data. */
export function verdictOf(answer: SettlingAnswer): Verdict {
  return answer.kind === 'paid'
    ? { kind: 'paid', resultCode: answer.resultCode }
    : { kind: 'declined', failureCode: answer.failureCode };
}
