import { type PushAnswer } from '#domain/rails';
import { type Answered, type AnsweredPush } from '../rail-adapter.js';
import { bearer, forget, headersWith, type TokenSource } from './bearer.js';
import { type Endpoint } from './endpoint.js';
import { type LateSettled, type Settled } from './exchange.js';
import { type Attempt, type TimeLeft, type Tries, tryUntilDone, unavailable } from './tries.js';

/** The signature over a request's bytes. */
interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  /** Drops the key that it was made with, because the rail refused the signature. */
  readonly forgetKey: () => void;
}

/** Signs the text of a request, byte for byte; returns undefined if there is no key within the time. */
export type Sign = (body: string, withinMs: number) => Promise<Signed | undefined>;

/**
 * The meaning of an answer to a push. `not_taken`: the rail did not look at it, so it may be sent again. `unknown`: it
 * is unknown whether a prompt was shown.
 */
export type PushReading =
  | { readonly kind: 'answer'; readonly answer: PushAnswer }
  | {
      readonly kind: 'not_taken';
      readonly because: 'invalid_token' | 'invalid_signature' | 'spike_arrest';
      readonly failureCode: string;
      /** True if it may come from elsewhere than the rail. If no later try is done, the outcome is unknown. */
      readonly isUncertain?: true;
    }
  | { readonly kind: 'unknown' };

/** The caller gets an answer once the time is over, whatever the rail does. */
export interface PushLine extends Tries {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  /** How much longer to wait for an answer. */
  readonly lateMs: number;
  /** Reads an answer. */
  readonly read: (status: number, body: string) => PushReading;
  /** In addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent if the rail wants no signature. */
  readonly sign?: Sign | undefined;
}

const unsigned: Signed = { headers: {}, forgetKey: () => undefined };

/**
 * Pushes to the phone, at most once. The push is sent again only if it certainly reached no phone: there was no token,
 * no key to sign with or no connection (an open circuit included), the token or the signature was refused (once), or
 * the rail pushed back (spike arrest). If the tries or the time are used up on those, the push is refused.
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

  const text = body();
  const signed = line.sign ? await line.sign(text, Math.max(1, leftMs())) : unsigned;
  if (!signed) return unavailable;

  const answerWithinMs = leftMs();
  if (answerWithinMs <= 0) return unavailable;
  const result = await line.endpoint.send(
    { headers: { ...headersWith(held.token), ...line.headers, ...signed.headers }, body: text },
    { answerWithinMs, lateWithinMs: line.lateMs },
  );
  if (result.kind === 'waiting')
    return done({ kind: 'unknown', late: result.late.then((late) => lateAnswer(line, late)) });
  return attemptOf(line, result, {
    forgetToken: () => forget(line.tokens, held.token),
    forgetKey: signed.forgetKey,
  });
}

/** Drops that part of a request which the rail refused. */
interface Refused {
  readonly forgetToken: () => Promise<void>;
  readonly forgetKey: () => void;
}

async function attemptOf(
  line: PushLine,
  settled: Settled,
  { forgetToken, forgetKey }: Refused,
): Promise<Attempt<AnsweredPush>> {
  if (settled.kind === 'not_sent') return unavailable;
  if (settled.kind === 'lost') return done(unknown);
  const reading = line.read(settled.status, settled.body);
  switch (reading.kind) {
    case 'answer':
      return done({ ...reading.answer, raw: bytesOf(settled) });
    case 'unknown':
      return done(unknown);
    case 'not_taken':
      return againAfter(reading, settled, { forgetToken, forgetKey });
  }
}

async function againAfter(
  { because, failureCode, isUncertain }: Extract<PushReading, { kind: 'not_taken' }>,
  answer: { readonly body: string },
  { forgetToken, forgetKey }: Refused,
): Promise<Attempt<AnsweredPush>> {
  switch (because) {
    case 'spike_arrest':
      return { kind: 'again_later', failureCode };
    case 'invalid_token':
      await forgetToken();
      return { kind: 'again_at_once', failureCode, ...(isUncertain && { orElse: unknown }) };
    case 'invalid_signature':
      forgetKey();
      return {
        kind: 'again_at_once',
        failureCode,
        orElse: { kind: 'refused', failureCode, raw: bytesOf(answer) },
      };
  }
}

/** An answer that arrived after the caller's is never tried again, so "not taken" is a refusal then. */
function lateAnswer(line: PushLine, settled: LateSettled): Answered<PushAnswer> | undefined {
  if (settled.kind === 'lost') return undefined;
  const reading = line.read(settled.status, settled.body);
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
