import { type QueryOutcome } from '#domain/collections';
import { type TokenSource } from './access-token.js';
import { readQueryAnswer } from './answers.js';
import { bearer, forget, headersWith } from './bearer.js';
import { type Endpoint } from './endpoint.js';

export interface QueryLine {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  /** For the whole question, a new token included. */
  readonly timeoutMs: number;
}

/**
 * Asks what became of a push. Whatever is no clear answer settles nothing: the worker asks again. Where no
 * token or no connection was to be had (an open circuit included), the rail accepted neither our token nor a new one,
 * or it pushed back, it was not asked.
 */
export async function query(
  line: QueryLine,
  checkoutRequestId: string,
  body: () => string,
): Promise<QueryOutcome> {
  const endAt = performance.now() + line.timeoutMs;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const held = await bearer(line.tokens, Math.max(1, endAt - performance.now()));
    if (held.kind !== 'token') return { kind: 'not_asked', why: 'no_token' };
    const answer = await line.endpoint.send(
      { headers: headersWith(held.token), body: body() },
      { answerWithinMs: Math.max(1, endAt - performance.now()), lateWithinMs: 0 },
    );
    if (answer.kind === 'not_sent') return { kind: 'not_asked', why: 'unreachable' };
    if (answer.kind !== 'answered') break;
    const reading = readQueryAnswer(checkoutRequestId, answer.status, answer.body);
    if (reading.kind === 'paid' || reading.kind === 'declined')
      return { ...reading, raw: Buffer.from(answer.body, 'utf8') };
    if (reading.kind !== 'invalid_token') return reading;
    await forget(line.tokens, held.token);
    if (attempt === 2) return { kind: 'not_asked', why: 'no_token' };
  }
  return { kind: 'unanswered' };
}
