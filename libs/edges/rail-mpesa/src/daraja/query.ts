import { type QueryOutcome } from '#domain/rails';
import { readQueryAnswer } from './answers.js';
import { ask, type AskLine } from '#edges/rails';

/** Asks for the outcome of a push. An unclear answer settles nothing: the worker asks again. */
export function query(
  line: AskLine,
  checkoutRequestId: string,
  body: () => string,
): Promise<QueryOutcome> {
  return ask<QueryOutcome>(line, {
    body,
    read: (status, text) => {
      const reading = readQueryAnswer(checkoutRequestId, status, text);
      return reading.kind === 'paid' || reading.kind === 'declined'
        ? { ...reading, raw: Buffer.from(text, 'utf8') }
        : reading;
    },
  });
}
