import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { B2c } from './b2c.js';
import type { C2b } from './c2b.js';
import { faults, refuseWith } from './faults.js';
import type { Memory } from './memory.js';
import { statement } from './statement.js';
import type { Pull } from './pull.js';
import type { Questions } from './questions.js';
import type { Reversals } from './reversals.js';
import type { Stk } from './stk.js';
import type { Sweeps } from './sweeps.js';
import type { Tokens } from './token.js';

/** Serves Daraja's routes, and under an underscore the routes of the simulator itself. */
export function buildServer(parts: {
  readonly tokens: Tokens;
  readonly stk: Stk;
  readonly b2c: B2c;
  readonly questions: Questions;
  readonly reversals: Reversals;
  readonly c2b: C2b;
  readonly pull: Pull;
  readonly sweeps: Sweeps;
  readonly memory: Memory;
  readonly log: Logger;
}): FastifyInstance {
  const { tokens, stk, b2c, questions, reversals, c2b, pull, sweeps, memory, log } = parts;
  const server = Fastify({ bodyLimit: 64 * 1024, forceCloseConnections: 'idle' });

  server.setNotFoundHandler((_request, reply) => refuseWith(reply, faults.notFound));
  server.setErrorHandler((error: { statusCode?: number; code?: string }, _request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500)
      return refuseWith(reply, faults.invalidPayload);
    log.error({ error: error.code ?? 'unknown' }, 'request failed');
    return refuseWith(reply, faults.internal);
  });

  server.get<{ Querystring: { grant_type?: unknown } }>(
    '/oauth/v1/generate',
    async (request, reply) => {
      const issued = await tokens.issue(request.headers.authorization, request.query.grant_type);
      return issued.ok ? reply.send(issued.value) : refuseWith(reply, issued.refusal);
    },
  );

  void server.register((api, _options, done) => {
    // Runs before the body is read, so that a request without a good token learns nothing about its fields.
    api.addHook('onRequest', async (request, reply) => {
      if (!tokens.isGood(request.headers.authorization))
        await refuseWith(reply, faults.invalidToken);
    });
    api.post('/mpesa/stkpush/v1/processrequest', stk.push);
    api.post('/mpesa/stkpushquery/v1/query', stk.query);
    api.post('/mpesa/b2c/v3/paymentrequest', b2c.pay);
    api.post('/mpesa/reversal/v1/request', reversals.reverse);
    api.post('/mpesa/transactionstatus/v1/query', questions.status);
    api.post('/mpesa/accountbalance/v1/query', questions.balance);
    api.post('/mpesa/c2b/v1/registerurl', c2b.register('v1'));
    api.post('/mpesa/c2b/v2/registerurl', c2b.register('v2'));
    api.post('/pulltransactions/v1/query', pull.query);
    done();
  });

  server.put('/_pull', pull.answerBy);
  server.post('/_c2b', c2b.pay);
  server.put('/_c2b/echo', c2b.echoBy);
  server.delete('/_c2b/urls', c2b.forget);
  server.post('/_sweep', sweeps.sweep);
  server.get('/_health', () => ({ status: 'ok' }));
  server.get('/_stats', () => ({
    pushes: memory.payments.size,
    paid: memory.paid.size,
    payouts: memory.payouts.accepted.size,
    paid_out: memory.payouts.paidOut,
    reversals: memory.withdrawals.reversals.size,
    reversed: memory.withdrawals.reversed.size,
    sweeps: memory.withdrawals.sweeps.length,
  }));
  server.get('/_statement.csv', (_request, reply) =>
    reply
      .header('content-type', 'text/csv; charset=utf-8; header=present')
      .send(Readable.from(statement(memory))),
  );
  return server;
}
