import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type ExpectedRevision, type NewEvent } from '#domain/event-sourcing';
import { MemoryLog, signedHeaders, type ThrowAwayDatabase } from '#testing';
import { allowedAddress, askToken, issueCredential, privateKey, useEdge } from '../../test/edge.js';
import { account } from '../../test/ports.js';

/**
 * A log in which the rail's callback always comes first: the callback reports that the push was taken before the push's
 * own answer is recorded.
 */
class CallbackFirst extends MemoryLog {
  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]) {
    const [first] = events;
    if (first?.event.type === 'RailPushAccepted' && this.streams.get(stream)?.length === 1)
      await super.append(stream, expected, [{ ...first, id: randomUUID() }]);
    return super.append(stream, expected, events);
  }
}

let postgres: ThrowAwayDatabase;
let app: NestFastifyApplication;
let accessToken: string;
useEdge(async (...started) => {
  [app, postgres] = started;
  await postgres.database.query(`update checkpoint set fresh_at = now() + interval '1 hour'`);
  const answer = await askToken(app, await issueCredential(postgres.database));
  accessToken = answer.json<{ access_token: string }>().access_token;
}, new CallbackFirst());

function create(key: string, reference: string) {
  const body = JSON.stringify({
    account_no: account.accountNo,
    phone: '254712345678',
    amount_minor: 10_000,
    currency: 'KES',
    channel: 'mpesa',
    reference,
  });
  const request = { method: 'POST', url: '/api/v4/collections', body } as const;
  return app.inject({
    method: 'POST',
    url: request.url,
    payload: body,
    remoteAddress: allowedAddress,
    headers: {
      ...signedHeaders({ privateKey, accessToken }, request),
      'idempotency-key': key,
    },
  });
}

it('keeps the key of a call that created, if the callback came before the answer to the push', async () => {
  const first = await create('key-1', 'FIRST-1');
  expect([first.statusCode, first.headers['x-pp-existing']]).toEqual([202, undefined]);
  const again = await create('key-1', 'FIRST-1');
  expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([202, 'true']);
  const other = await create('key-1', 'SECOND-1');
  expect([other.statusCode, other.json()]).toEqual([422, { error: 'idempotency_key_reused' }]);
});
