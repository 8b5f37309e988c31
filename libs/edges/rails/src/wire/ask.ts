import { bearer, forget, headersWith, type TokenSource } from './bearer.js';
import { type Endpoint } from './endpoint.js';

export interface AskLine {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  /** The limit for the whole question, a new token included. */
  readonly timeoutMs: number;
}

interface Question<Reading> {
  /** Called again for each try, since the body may contain the time. Absent if the question has none. */
  readonly body?: () => string;
  /** See `EndpointRequest`. */
  readonly below?: string;
  /** In addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads an answer. `invalid_token`: the question was not looked at and may be asked again. */
  readonly read: (status: number, body: string) => Reading | { readonly kind: 'invalid_token' };
  readonly maxAnswerBytes?: number;
}

/** There is no answer: it is unknown whether the rail looked at the question, or it is certain that it did not. */
type NotAnswered =
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'not_asked'; readonly why: 'no_token' | 'unreachable' };

/**
 * Asks a question that the rail answers at once. The question counts as not asked if there was no token or no
 * connection (an open circuit included), or if the rail accepted neither our token nor a new one.
 */
export async function ask<Reading extends { readonly kind: string }>(
  { endpoint, tokens, timeoutMs }: AskLine,
  { body, below, headers, read, maxAnswerBytes }: Question<Reading>,
): Promise<Reading | NotAnswered> {
  const endAt = performance.now() + timeoutMs;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const held = await bearer(tokens, Math.max(1, endAt - performance.now()));
    if (held.kind !== 'token') break;
    const answer = await endpoint.send(
      {
        headers: { ...headersWith(held.token), ...headers },
        ...(body && { body: body() }),
        ...(below !== undefined && { below }),
      },
      {
        answerWithinMs: Math.max(1, endAt - performance.now()),
        lateWithinMs: 0,
        ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes }),
      },
    );
    if (answer.kind === 'not_sent') return { kind: 'not_asked', why: 'unreachable' };
    if (answer.kind !== 'answered') return { kind: 'unanswered' };
    const reading = read(answer.status, answer.body);
    if (!isInvalidToken(reading)) return reading;
    await forget(tokens, held.token);
  }
  return { kind: 'not_asked', why: 'no_token' };
}

function isInvalidToken(reading: {
  readonly kind: string;
}): reading is { readonly kind: 'invalid_token' } {
  return reading.kind === 'invalid_token';
}
