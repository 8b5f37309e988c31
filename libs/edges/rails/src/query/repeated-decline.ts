import { type SettlingAnswer } from './settling-answer.js';

const prefix = 'declined:';

/** How an answer stands in the table of attempts, so that the next one can be held against it. */
export function outcomeOf(answer: SettlingAnswer): string {
  return answer.kind === 'declined' ? prefix + answer.failureCode : answer.kind;
}

/** Whether the answer is a decline that the query before gave as well, for the same reason: only such a one counts. */
export function isRepeated(answer: SettlingAnswer, previous: string | undefined): boolean {
  return answer.kind === 'declined' && outcomeOf(answer) === previous;
}

/** Whether the query before declined, and this one does not say so again. */
export function isTakenBack(outcome: string, previous: string | undefined): boolean {
  return previous?.startsWith(prefix) === true && outcome !== previous;
}
