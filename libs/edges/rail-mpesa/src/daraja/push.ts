import { type PushAnswer, type PushOutcome } from '#domain/collections';
import { type Timer } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';
import { type TokenSource } from './access-token.js';
import { readPushAnswer } from './answers.js';
import { bearer, forget, headersWith } from './bearer.js';
import { type Endpoint } from './endpoint.js';
import { type LateSettled, type Settled } from './daraja-exchange.js';

export interface PushLine {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  readonly timer: Timer;
  /** When the caller is answered, whatever the rail does. */
  readonly timeoutMs: number;
  /** How much longer an answer is listened for. */
  readonly lateMs: number;
}

/** `not_sent` and `not_taken` are certain: no prompt was shown, so the push may be sent again. */
type PushAttempt =
  | { readonly kind: 'done'; readonly outcome: PushOutcome }
  | { readonly kind: 'again_at_once'; readonly failureCode: string }
  | { readonly kind: 'again_later'; readonly failureCode: string };

const maxAttempts = 6;
const firstPauseMs = 200;
const maxPauseMs = 2000;

const unavailable = { kind: 'again_later', failureCode: 'rail_unavailable' } as const;

/**
 * Pushes to the phone, at most once. Sent again is only what is known not to have reached anybody: no token
 * or no connection was to be had (an open circuit included), the token was refused (once), or the rail
 * pushed back (spike arrest). Where tries or time are used up on those, the push is refused.
 * @param body made anew for each try, since it carries the time
 */
export async function push(line: PushLine, body: () => string): Promise<PushOutcome> {
  const endAt = performance.now() + line.timeoutMs;
  let failureCode: string = unavailable.failureCode;
  let hasNewToken = false;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const result = await tryOnce(line, body, endAt);
    if (result.kind === 'done') return result.outcome;
    ({ failureCode } = result);
    if (result.kind === 'again_at_once') {
      if (hasNewToken) break;
      hasNewToken = true;
      continue;
    }
    const pauseMs = backoffMs(attempt, firstPauseMs, maxPauseMs);
    if (attempt === maxAttempts || performance.now() + pauseMs >= endAt) break;
    await line.timer.sleep(pauseMs);
  }
  return { kind: 'refused', failureCode };
}

async function tryOnce(line: PushLine, body: () => string, endAt: number): Promise<PushAttempt> {
  const held = await bearer(line.tokens, Math.max(1, endAt - performance.now()));
  if (held.kind === 'unavailable') return unavailable;
  if (held.kind === 'refused') return done({ kind: 'refused', failureCode: 'rail_unauthorized' });

  const answerWithinMs = endAt - performance.now();
  if (answerWithinMs <= 0) return unavailable;
  const result = await line.endpoint.send(
    { headers: headersWith(held.token), body: body() },
    { answerWithinMs, lateWithinMs: line.lateMs },
  );
  if (result.kind === 'waiting')
    return done({ kind: 'unknown', late: result.late.then(lateAnswer) });
  return attemptOf(result, () => forget(line.tokens, held.token));
}

async function attemptOf(settled: Settled, forgetToken: () => Promise<void>): Promise<PushAttempt> {
  if (settled.kind === 'not_sent') return unavailable;
  if (settled.kind === 'lost') return done(unknown);
  const reading = readPushAnswer(settled.status, settled.body);
  switch (reading.kind) {
    case 'answer':
      return done(reading.answer);
    case 'unknown':
      return done(unknown);
    case 'not_taken':
      if (reading.because === 'spike_arrest')
        return { kind: 'again_later', failureCode: reading.failureCode };
      await forgetToken();
      return { kind: 'again_at_once', failureCode: reading.failureCode };
  }
}

/** What came after the caller was answered is never tried again, so "not taken" is a refusal then. */
function lateAnswer(settled: LateSettled): PushAnswer | undefined {
  if (settled.kind === 'lost') return undefined;
  const reading = readPushAnswer(settled.status, settled.body);
  switch (reading.kind) {
    case 'answer':
      return reading.answer;
    case 'not_taken':
      return { kind: 'refused', failureCode: reading.failureCode };
    case 'unknown':
      return undefined;
  }
}

const unknown: PushOutcome = { kind: 'unknown', late: Promise.resolve(undefined) };

function done(outcome: PushOutcome): PushAttempt {
  return { kind: 'done', outcome };
}
