import { type PayoutAnswer } from '#domain/payouts';
import {
  type AnsweredOrder,
  type Asked,
  type Attempt,
  bearer,
  type Endpoint,
  forget,
  headersWith,
  parseObject,
  type RailExchange,
  railIdOf,
  textOf,
  type TimeLeft,
  type TokenSource,
  type Tries,
  tryUntilDone,
  unavailable,
} from '#edges/rails';
import { errorCodes, failureCodeOf, isTokenRefused, payoutRefusalOf } from './codes.js';
import { errorCodeOf } from './error-code.js';

export interface OrderLine extends Tries {
  readonly endpoint: Endpoint;
  readonly tokens: TokenSource;
  /** True if the orders carry no name of ours, so that the rail's answer names them. */
  readonly isNamedByRail?: true;
}

const unknown: Attempt<AnsweredOrder> = { kind: 'done', outcome: { kind: 'unknown' } };
const taken: Attempt<AnsweredOrder> = {
  kind: 'done',
  outcome: { kind: 'unknown', isTaken: true },
};

/**
 * Gives the rail an order whose result arrives by callback. The rail takes at most one. The order is sent again only if
 * it was certainly not taken: there was no token or no connection, the token was refused (once), or the rail pushed
 * back (spike arrest). If the tries or the time are used up on those, the order is refused.
 */
export function order(line: OrderLine, body: string): Promise<AnsweredOrder> {
  return tryUntilDone(line, (leftMs) => tryOnce(line, body, leftMs));
}

/** Asks a question whose answer arrives by callback. If the rail refuses the question, it did not take it. */
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
  leftMs: TimeLeft,
): Promise<Attempt<AnsweredOrder>> {
  const held = await bearer(line.tokens, Math.max(1, leftMs()));
  if (held.kind === 'unavailable') return unavailable;
  if (held.kind === 'refused')
    return { kind: 'done', outcome: { kind: 'refused', failureCode: 'rail_unauthorized' } };
  const answerWithinMs = leftMs();
  if (answerWithinMs <= 0) return unavailable;
  const exchange = await line.endpoint.send(
    { headers: headersWith(held.token), body },
    { answerWithinMs, lateWithinMs: 0 },
  );
  const attempt = attemptOf(exchange, line);
  if (attempt.kind === 'again_at_once') await forget(line.tokens, held.token);
  return attempt;
}

function attemptOf(exchange: RailExchange, line: OrderLine): Attempt<AnsweredOrder> {
  if (exchange.kind === 'not_sent') return unavailable;
  if (exchange.kind !== 'answered') return unknown;
  const { status, body } = exchange;
  return status === 200 ? readAcceptance(body, line) : readRefusal(status, body);
}

/** Reads the rail's refusal of an order. A duplicate name is refused with 500.002.1001, which may mean anything. */
function readRefusal(status: number, body: string): Attempt<AnsweredOrder> {
  if (status < 400) return unknown;
  const errorCode = errorCodeOf(body);
  if (isTokenRefused(status, errorCode)) {
    const again = { kind: 'again_at_once', failureCode: 'rail_unauthorized' } as const;
    // A 401 that is not in the rail's own JSON may come from anywhere, so it releases no money (COL-21).
    return errorCode === undefined ? { ...again, orElse: { kind: 'unknown' } } : again;
  }
  if (errorCode === undefined) return unknown;
  if (errorCode === errorCodes.spikeArrest)
    return { kind: 'again_later', failureCode: failureCodeOf(errorCode) };
  const failureCode = payoutRefusalOf(status, errorCode);
  return failureCode === undefined ? unknown : done({ kind: 'refused', failureCode }, body);
}

function done(answer: PayoutAnswer, body: string): Attempt<AnsweredOrder> {
  return { kind: 'done', outcome: { ...answer, raw: Buffer.from(body, 'utf8') } };
}

function readAcceptance(body: string, { isNamedByRail }: OrderLine): Attempt<AnsweredOrder> {
  const answer = parseObject(body);
  if (!answer || textOf(answer, 'ResponseCode') !== '0') return unknown;
  const conversationId = railIdOf(answer, 'ConversationID');
  const named = isNamedByRail ? railIdOf(answer, 'OriginatorConversationID') : undefined;
  if (conversationId === undefined) return taken;
  const names = {
    conversationId,
    ...(named === undefined ? {} : { originatorConversationId: named }),
  };
  return done({ kind: 'accepted', ...names }, body);
}
