import { type Timer } from '#domain/kernel';
import { type PayoutAnswer, type PayoutOutcome } from '#domain/payouts';
import { type Asked } from '#edges/rails';
import { backoffMs } from '#infra/runtime';
import { type TokenSource } from './access-token.js';
import { bearer, forget, headersWith } from './bearer.js';
import { errorCodes, failureCodeOf, isTokenRefused, payoutRefusalOf } from './codes.js';
import { type DarajaExchange } from './daraja-exchange.js';
import { type Endpoint } from './endpoint.js';
import { errorCodeOf, parseObject, railIdOf, textOf } from './json.js';

export interface OrderLine {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  readonly timer: Timer;
  /** For the whole, pauses and a new token included. */
  readonly timeoutMs: number;
}

/** `again_*` is certain: the rail did not take the order, so it may be sent again. */
type Attempt =
  | { readonly kind: 'done'; readonly outcome: PayoutOutcome }
  | { readonly kind: 'again_at_once' | 'again_later'; readonly failureCode: string };

const maxAttempts = 6;
const firstPauseMs = 200;
const maxPauseMs = 2000;

const unavailable = { kind: 'again_later', failureCode: 'rail_unavailable' } as const;
const unknown: Attempt = { kind: 'done', outcome: { kind: 'unknown' } };

/**
 * Gives the rail an order whose result comes by callback: at most one is taken. Sent again is only what is known not to
 * have been taken: no token or no connection was to be had, the token was refused (once), or the rail pushed back
 * (spike arrest). Where tries or time are used up on those, the order is refused.
 */
export async function order(line: OrderLine, body: string): Promise<PayoutOutcome> {
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

/** Puts a question whose answer comes by callback. One that the rail refuses was not taken. */
export async function question(line: OrderLine, body: string): Promise<Asked> {
  const outcome = await order(line, body);
  switch (outcome.kind) {
    case 'accepted':
      return 'taken';
    case 'refused':
      return 'not_asked';
    case 'unknown':
      return 'unanswered';
  }
}

async function tryOnce(line: OrderLine, body: string, endAt: number): Promise<Attempt> {
  const held = await bearer(line.tokens, Math.max(1, endAt - performance.now()));
  if (held.kind === 'unavailable') return unavailable;
  if (held.kind === 'refused')
    return { kind: 'done', outcome: { kind: 'refused', failureCode: 'rail_unauthorized' } };
  const answerWithinMs = endAt - performance.now();
  if (answerWithinMs <= 0) return unavailable;
  const exchange = await line.endpoint.send(
    { headers: headersWith(held.token), body },
    { answerWithinMs, lateWithinMs: 0 },
  );
  const attempt = attemptOf(exchange);
  if (attempt.kind === 'again_at_once') await forget(line.tokens, held.token);
  return attempt;
}

function attemptOf(exchange: DarajaExchange): Attempt {
  if (exchange.kind === 'not_sent') return unavailable;
  return exchange.kind === 'answered' ? readOrderAnswer(exchange.status, exchange.body) : unknown;
}

/** Reads the rail's answer to an order. A duplicate name is refused with 500.002.1001, which means anything. */
function readOrderAnswer(status: number, body: string): Attempt {
  if (status === 200) {
    const answer = acceptanceOf(body);
    return answer ? { kind: 'done', outcome: answer } : unknown;
  }
  if (status < 400) return unknown;
  const errorCode = errorCodeOf(body);
  if (isTokenRefused(status, errorCode))
    return { kind: 'again_at_once', failureCode: 'rail_unauthorized' };
  if (errorCode === undefined) return unknown;
  if (errorCode === errorCodes.spikeArrest)
    return { kind: 'again_later', failureCode: failureCodeOf(errorCode) };
  const failureCode = payoutRefusalOf(status, errorCode);
  return failureCode === undefined
    ? unknown
    : { kind: 'done', outcome: { kind: 'refused', failureCode } };
}

function acceptanceOf(body: string): PayoutAnswer | undefined {
  const answer = parseObject(body);
  if (!answer || textOf(answer, 'ResponseCode') !== '0') return undefined;
  const conversationId = railIdOf(answer, 'ConversationID');
  return conversationId === undefined ? undefined : { kind: 'accepted', conversationId };
}
