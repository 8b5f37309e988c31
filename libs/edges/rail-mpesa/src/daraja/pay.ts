import { type Timer } from '#domain/kernel';
import { type PayoutAnswer, type PayoutOutcome } from '#domain/payouts';
import { type Asked } from '#edges/rails';
import { type TokenSource } from './access-token.js';
import { bearer, forget, headersWith } from './bearer.js';
import { errorCodes, failureCodeOf, isTokenRefused, payoutRefusalOf } from './codes.js';
import { type Attempt, type DarajaExchange, tryUntilDone, unavailable } from './daraja-exchange.js';
import { type Endpoint } from './endpoint.js';
import { errorCodeOf, parseObject, railIdOf, textOf } from './json.js';

export interface OrderLine {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  readonly timer: Timer;
  /** For the whole, pauses and a new token included. */
  readonly timeoutMs: number;
}

const unknown: Attempt<PayoutOutcome> = { kind: 'done', outcome: { kind: 'unknown' } };

/**
 * Gives the rail an order whose result comes by callback: at most one is taken. Sent again is only what is known not to
 * have been taken: no token or no connection was to be had, the token was refused (once), or the rail pushed back
 * (spike arrest). Where tries or time are used up on those, the order is refused.
 */
export function order(line: OrderLine, body: string): Promise<PayoutOutcome> {
  return tryUntilDone(line, (endAt) => tryOnce(line, body, endAt));
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

async function tryOnce(
  line: OrderLine,
  body: string,
  endAt: number,
): Promise<Attempt<PayoutOutcome>> {
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

function attemptOf(exchange: DarajaExchange): Attempt<PayoutOutcome> {
  if (exchange.kind === 'not_sent') return unavailable;
  return exchange.kind === 'answered' ? readOrderAnswer(exchange.status, exchange.body) : unknown;
}

/** Reads the rail's answer to an order. A duplicate name is refused with 500.002.1001, which means anything. */
function readOrderAnswer(status: number, body: string): Attempt<PayoutOutcome> {
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
