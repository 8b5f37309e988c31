import { collectionStream } from '#domain/collections';
import { parseMasterKeys } from '#infra/runtime';
import { Keyring, sealToken } from '#shared/signing';
import { eventually, type OwnServers, type Service, startOwnServers, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecordsUnderTest } from './records.js';

/** It pays, and its own callback is lost: the test's callback completes it. */
const lostCallback = '254700000006';

let servers: OwnServers;
let service: Service;
let records: RecordsUnderTest;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService({ ...servers.env, RAIL_QUERY_DELAYS: '1h' });
  records = new RecordsUnderTest(servers.env.DATABASE_URL);
});
afterAll(async () => {
  await records.close();
  await service.stop();
  await servers.stop();
});

interface Pending {
  readonly reference: string;
  readonly railReference: string;
}

async function pending(reference: string): Promise<Pending> {
  const { status, body } = await service.merchant.collect({ reference, phone: lostCallback });
  expect(status).toBe(202);
  return { reference, railReference: String(body['rail_reference']) };
}

/** Calls back as the rail does. @returns the status */
async function callBack({ reference, railReference }: Pending): Promise<number> {
  const keys = parseMasterKeys(service.env['MASTER_KEY'] ?? '');
  if ('problem' in keys) throw new Error(keys.problem);
  const { merchantId } = service.merchant.credentials;
  const stream = collectionStream({ mode: 'demo', merchantId, reference });
  const items = [
    { Name: 'Amount', Value: 100 },
    { Name: 'MpesaReceiptNumber', Value: `R${reference.replaceAll(/\W/g, '').toUpperCase()}` },
    { Name: 'TransactionDate', Value: 20261121090000 },
  ];
  const stkCallback = {
    MerchantRequestID: 'm',
    CheckoutRequestID: railReference,
    ResultCode: 0,
    ResultDesc: 'paid',
    CallbackMetadata: { Item: items },
  };
  const response = await fetch(
    `${service.baseUrl}/rails/${sealToken(Keyring.from(keys), stream)}`,
    {
      method: 'POST',
      body: JSON.stringify({ Body: { stkCallback } }),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
    },
  );
  await response.arrayBuffer();
  return response.status;
}

async function health(path: string): Promise<{ status: number; body: unknown }> {
  const url = `http://127.0.0.1:${String(service.child('api').ports.adminPort)}${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  return { status: response.status, body: await response.json() };
}

const soon = { withinMs: 90_000 };

describe('callbacks, with Postgres alone', () => {
  it('are accepted and stored by a running replica and by a newly started one, and are applied later', async () => {
    const [first, second] = [await pending('first'), await pending('second')];
    await servers.kill('eventstore');
    await servers.kill('redis');
    await eventually(
      () => health('/health/ready'),
      ({ status }) => status === 503,
      soon,
    );
    expect(await health('/health/ready/rails')).toEqual({
      status: 200,
      body: {
        status: 'ok',
        dependencies: { postgres: { status: 'ok', latency_ms: expect.any(Number) as unknown } },
      },
    });
    expect(await callBack(first)).toBe(200);
    expect(await records.isInInbox(first.reference)).toBe(true);

    await service.kill('api');
    await service.start('api');
    expect((await health('/health/ready/rails')).status).toBe(200);
    expect((await health('/health/ready')).status).toBe(503);
    expect(await callBack(second)).toBe(200);
    expect(await records.isInInbox(second.reference)).toBe(true);
    // Every request that needs a nonce is refused, as always.
    expect((await service.merchant.get('/api/v4/transactions')).status).toBe(503);

    await servers.start('eventstore');
    await servers.start('redis');
    for (const { reference } of [first, second])
      await eventually(
        () => service.merchant.get(`/api/v4/collections/${reference}`).catch(() => undefined),
        (answer) => answer?.body['status'] === 'completed',
        { withinMs: 60_000 },
      );
    expect((await health('/health/ready')).status).toBe(200);
  });

  it('are rejected, and readiness for them fails, if Postgres is down', async () => {
    const third = await pending('third');
    await servers.kill('postgres');
    await eventually(
      () => health('/health/ready/rails'),
      ({ status }) => status === 503,
      soon,
    );
    // Even if the event was appended, its evidence could not be stored, so the rail must call again.
    expect(await callBack(third)).toBe(503);
    await servers.start('postgres');
    await eventually(
      () => health('/health/ready/rails'),
      ({ status }) => status === 200,
      soon,
    );
    expect(await callBack(third)).toBe(200);
  });
});
