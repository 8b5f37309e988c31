import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Collections } from './collections.js';
import type { Disbursements } from './disbursements.js';
import type { Gate } from './gate.js';
import type { Keys } from './keys.js';
import type { Lookups } from './lookups.js';
import type { Memory } from './memory.js';
import type { Portal } from './portal.js';
import type { Refunds } from './refunds.js';
import { statement } from './statement.js';
import type { Sweeps } from './sweeps.js';
import type { Tokens } from './token.js';

export interface Parts {
  readonly tokens: Tokens;
  readonly gate: Gate;
  readonly collections: Collections;
  readonly disbursements: Disbursements;
  readonly refunds: Refunds;
  readonly lookups: Lookups;
  readonly portal: Portal;
  readonly sweeps: Sweeps;
  readonly keys: Keys;
  readonly memory: Memory;
  readonly log: Logger;
}

/** Serves Airtel's routes, and under an underscore the routes of the simulator itself. */
export function buildServer(parts: Parts): FastifyInstance {
  const { tokens, log } = parts;
  const server = Fastify({
    bodyLimit: 64 * 1024,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
  });
  // A signature covers the bytes as they were sent.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'Not Found' }));
  server.setErrorHandler((error: { statusCode?: number; code?: string }, _request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode >= 500) log.error({ error: error.code ?? 'unknown' }, 'request failed');
    return reply.code(statusCode).send({ error: 'the request failed' });
  });

  server.post('/auth/oauth2/token', tokens.issue);
  void server.register((api, _options, done) => {
    addRail(api, parts);
    done();
  });
  addOwn(server, parts);
  return server;
}

function addRail(api: FastifyInstance, parts: Parts): void {
  const { tokens, gate, collections, disbursements, refunds, lookups } = parts;
  api.addHook('onRequest', tokens.check);
  api.addHook('onRequest', gate.checkHeaders);
  for (const version of ['v1', 'v2'] as const) {
    const preHandler = gate.checkSignature('payment', version);
    api.post(`/merchant/${version}/payments/`, { preHandler }, collections.pay);
    api.post(`/standard/${version}/payments/refund`, { preHandler }, refunds.refund);
    api.post(
      `/standard/${version}/disbursements/`,
      { preHandler: gate.checkSignature('payout', version) },
      disbursements.pay,
    );
    api.get(`/standard/${version}/disbursements/:id`, disbursements.enquire);
    api.get(`/standard/${version}/users/balance`, lookups.balance);
  }
  api.get('/standard/v1/payments/:id', collections.enquire);
  api.get('/standard/v1/users/:msisdn', lookups.user);
  api.get('/merchant/v1/transactions', lookups.transactions);
  api.get('/v1/rsa/encryption-keys', lookups.encryptionKey);
}

function addOwn(server: FastifyInstance, { portal, sweeps, keys, memory }: Parts): void {
  server.get('/_portal', portal.show);
  server.put('/_portal', portal.change);
  server.post('/_sweep', sweeps.sweep);
  server.get('/_keys', () => ({ 1024: keys.publicKey('1024'), 2048: keys.publicKey('2048') }));
  server.get('/_health', () => ({ status: 'ok' }));
  server.get('/_stats', () => ({
    pushes: memory.collections.accepted.size,
    paid: memory.collections.paid.size,
    payouts: memory.payouts.accepted.size,
    paid_out: memory.payouts.paid.size,
    refunded: memory.withdrawals.refunds.size,
    sweeps: memory.withdrawals.sweeps.length,
  }));
  server.get('/_statement.csv', (_request, reply) =>
    reply
      .header('content-type', 'text/csv; charset=utf-8; header=present')
      .send(Readable.from(statement(memory))),
  );
}
