import { type PushAnswer } from '#domain/rails';
import { type Answered, type AnsweredPush } from '#edges/rails';
import { type TokenSource } from './access-token.js';
import { readPushAnswer } from './answers.js';
import { bearer, forget, headersWith } from './bearer.js';
import { type Endpoint } from './endpoint.js';
import {
  type Attempt,
  type LateSettled,
  type Settled,
  type TimeLeft,
  type Tries,
  tryUntilDone,
  unavailable,
} from './daraja-exchange.js';

/** The caller gets an answer once the time is over, whatever the rail does. */
export interface PushLine extends Tries {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  /** How much longer to wait for an answer. */
  readonly lateMs: number;
}

/**
 * Pushes to the phone, at most once. The push is sent again only if it certainly reached no phone: there was no token
 * or no connection (an open circuit included), the token was refused (once), or the rail pushed back (spike arrest). If
 * the tries or the time are used up on those, the push is refused.
 * @param body called again for each try, since the body contains the time
 */
export function push(line: PushLine, body: () => string): Promise<AnsweredPush> {
  return tryUntilDone(line, (leftMs) => tryOnce(line, body, leftMs));
}

async function tryOnce(
  line: PushLine,
  body: () => string,
  leftMs: TimeLeft,
): Promise<Attempt<AnsweredPush>> {
  const held = await bearer(line.tokens, Math.max(1, leftMs()));
  if (held.kind === 'unavailable') return unavailable;
  if (held.kind === 'refused') return done({ kind: 'refused', failureCode: 'rail_unauthorized' });

  const answerWithinMs = leftMs();
  if (answerWithinMs <= 0) return unavailable;
  const result = await line.endpoint.send(
    { headers: headersWith(held.token), body: body() },
    { answerWithinMs, lateWithinMs: line.lateMs },
  );
  if (result.kind === 'waiting')
    return done({ kind: 'unknown', late: result.late.then(lateAnswer) });
  return attemptOf(result, () => forget(line.tokens, held.token));
}

async function attemptOf(
  settled: Settled,
  forgetToken: () => Promise<void>,
): Promise<Attempt<AnsweredPush>> {
  if (settled.kind === 'not_sent') return unavailable;
  if (settled.kind === 'lost') return done(unknown);
  const reading = readPushAnswer(settled.status, settled.body);
  switch (reading.kind) {
    case 'answer':
      return done({ ...reading.answer, raw: bytesOf(settled) });
    case 'unknown':
      return done(unknown);
    case 'not_taken':
      if (reading.because === 'spike_arrest')
        return { kind: 'again_later', failureCode: reading.failureCode };
      await forgetToken();
      return { kind: 'again_at_once', failureCode: reading.failureCode };
  }
}

/** An answer that arrived after the caller's is never tried again, so "not taken" is a refusal then. */
function lateAnswer(settled: LateSettled): Answered<PushAnswer> | undefined {
  if (settled.kind === 'lost') return undefined;
  const reading = readPushAnswer(settled.status, settled.body);
  switch (reading.kind) {
    case 'answer':
      return { ...reading.answer, raw: bytesOf(settled) };
    case 'not_taken':
      return { kind: 'refused', failureCode: reading.failureCode, raw: bytesOf(settled) };
    case 'unknown':
      return undefined;
  }
}

function bytesOf({ body }: { readonly body: string }): Uint8Array {
  return Buffer.from(body, 'utf8');
}

const unknown: AnsweredPush = { kind: 'unknown', late: Promise.resolve(undefined) };

function done(outcome: AnsweredPush): Attempt<AnsweredPush> {
  return { kind: 'done', outcome };
}
