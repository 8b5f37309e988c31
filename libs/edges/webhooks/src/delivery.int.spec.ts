import { DependencyUnavailable } from '#domain/kernel';
import { expireDeliveries, failingEndpoints, waitingDeliveries } from '#adapters/records';
import { verifyWebhook } from '#sdk';
import { eventually } from '#testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, WebhookHarness } from '../test/harness.js';
import { type Received, Receiver, status } from '../test/receiver.js';
import { deliveredWithinMs } from './schedule.js';

let harness: WebhookHarness;
let receiver: Receiver;
let merchants = 0;
/** The merchant of the test, whose endpoint is the receiver's path of that name. */
let m: string;
beforeAll(async () => {
  [harness, receiver] = await Promise.all([WebhookHarness.start(), Receiver.start()]);
});
afterEach(() => harness.rest());
afterAll(async () => {
  await harness.stop();
  await receiver.stop();
});
beforeEach(() => {
  m = `m-${(merchants += 1)}`;
});

const url = (merchantId = m) => receiver.url(`/${merchantId}`);
const came = (merchantId = m): readonly Received[] => receiver.at(`/${merchantId}`);
const idOf = ({ headers }: Received) => headers['pesapost-event-id'];
function until(accepted: () => boolean, withinMs = 20_000): Promise<boolean> {
  return eventually(() => Promise.resolve(accepted()), Boolean, { withinMs, everyMs: 10 });
}
function untilAttempts(count: number, merchantId = m): Promise<readonly string[]> {
  return eventually(
    () => harness.attempts(merchantId),
    ({ length }) => length >= count,
    {
      withinMs: 20_000,
      everyMs: 10,
    },
  );
}
const minute = 60_000;

describe('a webhook that is owed', () => {
  it('comes signed, once, and is written down', async () => {
    const secrets = await harness.endpoint(m, url(), { standardHeaders: true });
    const { metrics } = harness.work();
    const [id] = await harness.owe(m);
    await untilAttempts(1);
    const [received, ...others] = came();
    if (!received) throw new Error('nothing came');
    expect(others).toEqual([]);
    const { body: payload, headers } = received;
    const event = await verifyWebhook({ payload, headers, secrets });
    expect(event).toMatchObject({ id, data: { amount_minor: 25_000n } });
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], payload].join('.');
    const digest = createHmac('sha256', secrets).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${digest}`);
    expect(await harness.deliveries(m)).toMatchObject([
      { attempts: 1, outcome: 'delivered', waits: false },
    ]);
    expect(await metrics.registry.metrics()).toMatch(
      /webhook_attempts_total\{mode="demo",kind="v4",outcome="delivered"\} 1/,
    );
  });

  it('is signed by both secrets while they are rotated', async () => {
    const old = await harness.endpoint(m, url());
    const secret = await harness.newSecret(m);
    harness.work();
    await harness.owe(m);
    await until(() => came().length === 1);
    const { body: payload, headers } = came()[0] as Received;
    for (const secrets of [secret, old]) await verifyWebhook({ payload, headers, secrets });
    expect(headers['pesapost-signature']).toMatch(/^v4=[0-9a-f]{64},v4=[0-9a-f]{64}$/);
  });

  it('is told in V3’s words, keyed on the newest consumer key, where the collection says', async () => {
    await harness.endpoint(m, url(), { kind: 'v3' });
    await harness.database.query(
      `insert into credentials (credential_id, merchant_id, kind, holder, consumer_key, revoked)
         select $1 || name, $1, 'v3', 'h', $1 || name, name = 'c' from unnest(array['a', 'b', 'c']) as name`,
      [m],
    );
    harness.work();
    await harness.owe(m, 1, { kind: 'v3' });
    await harness.owe(m, 1, { kind: 'v3', callbackUrl: receiver.url(`/${m}/own`) });
    await untilAttempts(2);
    const [received, own] = [came()[0], receiver.at(`/${m}/own`)[0]];
    if (!received || !own) throw new Error('one did not come');
    expect(JSON.parse(own.body)).toMatchObject({ amount: '250.00', live: 0, receipt: 'SBX1' });
    expect(received.headers['x-v3-signature']).toBe(
      createHmac('sha256', `${m}b`).update(received.body).digest('hex'),
    );
    expect(received.headers['pesapost-signature']).toBeUndefined();
  });

  it('waits for its secret, and for the views that hold its body', async () => {
    await harness.endpoint(m, url());
    const [id] = await harness.owe(m);
    await harness.database.query('update webhook_events set id = id, sequence = -1 where id = $1', [
      id,
    ]);
    harness.work();
    await sleep(300);
    await harness.database.query(
      `update webhook_events e set sequence = d.sequence from records.webhook_deliveries d
         where e.id = $1 and d.webhook_id = e.id`,
      [id],
    );
    expect(came()).toEqual([]);
    expect(await harness.deliveries(m)).toMatchObject([{ attempts: 0, waits: true }]);
    await harness.pass(m, minute);
    await untilAttempts(1);

    const other = `${m}-v3`;
    await harness.endpoint(other, url(other), { kind: 'v3' });
    await harness.owe(other, 1, { kind: 'v3' });
    expect(await untilAttempts(1, other)).toEqual(['no_secret']);
  });
});

describe('an endpoint that fails', () => {
  it('is tried again by the schedule, with the same id and the same bytes', async () => {
    const secrets = await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(500));
    harness.work();
    const [id] = await harness.owe(m);
    await untilAttempts(1);
    await harness.pass(m, 4000);
    await sleep(100);
    expect(came()).toHaveLength(1);
    await harness.pass(m, 2000);
    await untilAttempts(2);
    await harness.pass(m, 4 * minute);
    await sleep(100);
    expect(came()).toHaveLength(2);
    receiver.answers.delete(`/${m}`);
    await harness.pass(m, 2 * minute);
    expect(await untilAttempts(3)).toEqual(['status', 'status', 'delivered']);
    expect(new Set(came().map(({ body }) => body)).size).toBe(1);
    expect(came().map(idOf)).toEqual([id, id, id]);
    const { body: payload, headers } = came()[2] as Received;
    await verifyWebhook({ payload, headers, secrets });
    expect(await harness.deliveries(m)).toMatchObject([{ attempts: 3, outcome: 'delivered' }]);
  });

  it('is tried at once when the clock jumps past the next attempt', async () => {
    await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(503));
    const before = harness.work();
    await harness.owe(m);
    await untilAttempts(1);
    await before.stop();
    harness.work({ clockOffsetMs: 10_000 });
    expect(await untilAttempts(2)).toEqual(['status', 'status']);
  });

  it('expires after 30 days, whether it was tried or disabled meanwhile', async () => {
    await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(500));
    harness.work();
    await harness.owe(m);
    await untilAttempts(1);
    await harness.pass(m, deliveredWithinMs - 1000);
    await untilAttempts(2);
    await eventually(
      () => harness.deliveries(m),
      ([one]) => one?.outcome === 'expired' && !one.waits,
    );
    await harness.database.query(
      'update webhook_endpoints set enabled = false where merchant_id = $1',
      [m],
    );
    await harness.owe(m);
    await harness.pass(m, deliveredWithinMs - minute);
    expect(await expireDeliveries(harness.database, deliveredWithinMs)).toBe(0);
    await harness.pass(m, 2 * minute);
    expect(await expireDeliveries(harness.database, deliveredWithinMs)).toBe(1);
    expect(came()).toHaveLength(2);
  });

  it('is left alone by all workers after three failures, then one attempt tries it', async () => {
    await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(500));
    harness.work();
    harness.work();
    await harness.owe(m, 40);
    await until(() => came().length >= 3);
    await sleep(500);
    const first = came().length;
    // Each of the two may have had four in flight when they began.
    expect(first).toBeLessThanOrEqual(10);
    const { endpoints } = await failingEndpoints(harness.database, 10);
    expect(endpoints).toMatchObject([{ ...keyOf(m), lastOutcome: 'status', lastStatus: 500 }]);
    await harness.pass(m, 6000);
    await until(() => came().length > first);
    await sleep(300);
    expect(came()).toHaveLength(first + 1);
    receiver.answers.delete(`/${m}`);
    await harness.pass(m, 10 * minute);
    await until(
      () =>
        new Set(
          came()
            .slice(first + 1)
            .map(idOf),
        ).size === 40,
    );
    expect((await failingEndpoints(harness.database, 10)).endpoints).toEqual([]);
  });

  it('is disabled where it is gone, and gets nothing while it is', async () => {
    await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(410));
    const { commands } = harness.work();
    await harness.owe(m);
    await until(() => commands.length === 1);
    expect(commands[0]).toMatchObject({
      endpoint: keyOf(m),
      change: { to: 'disable', url: url() },
      metadata: { actor: { kind: 'system' } },
    });
    const enable = (enabled: boolean) =>
      harness.database.query('update webhook_endpoints set enabled = $2 where merchant_id = $1', [
        m,
        enabled,
      ]);
    await enable(false);
    receiver.answers.delete(`/${m}`);
    await harness.pass(m, 10 * minute);
    await sleep(100);
    expect(came()).toHaveLength(1);
    await enable(true);
    await harness.pass(m, 0);
    expect(await untilAttempts(2)).toEqual(['gone', 'delivered']);
  });
});

describe('several workers', () => {
  it('never send the same delivery while its lease lasts', async () => {
    const others = Array.from({ length: 5 }, (_, at) => `${m}-${at}`);
    for (const other of others) await harness.endpoint(other, url(other));
    for (const other of others) await harness.owe(other, 60);
    // On a busy machine an attempt takes seconds; one that ran out of time would be made again.
    const unhurried = { leaseMs: 90_000, statusWithinMs: 60_000 };
    for (let workers = 0; workers < 3; workers += 1) harness.work(unhurried);
    const ids = () => others.flatMap((other) => came(other).map(idOf));
    await until(() => ids().length >= 300);
    await sleep(200);
    expect(ids()).toHaveLength(300);
    expect(new Set(ids()).size).toBe(300);
  });

  it('send again what one of them sent and died before it wrote that down', async () => {
    await harness.endpoint(m, url());
    const away = () => Promise.reject(new DependencyUnavailable('postgres', 'gone'));
    harness.work({
      leaseMs: 700,
      queue: (queue) => Object.assign(Object.create(queue) as typeof queue, { record: away }),
    });
    const [id] = await harness.owe(m);
    await until(() => came().length === 1);
    await harness.rest();
    harness.work();
    await untilAttempts(1);
    expect(came().map(idOf)).toEqual([id, id]);
    expect(came()[0]?.body).toBe(came()[1]?.body);
    expect(await harness.deliveries(m)).toMatchObject([{ attempts: 2, outcome: 'delivered' }]);
  });

  it('keep what was delivered, though one whose lease had ended failed after it', async () => {
    await harness.endpoint(m, url());
    const answer = status(200);
    let calls = 0;
    receiver.answers.set(`/${m}`, (socket, received) => {
      if ((calls += 1) > 1) answer(socket, received);
    });
    harness.work({ leaseMs: 300, statusWithinMs: 2000 });
    harness.work({ leaseMs: 300, statusWithinMs: 2000 });
    await harness.owe(m);
    expect([...(await untilAttempts(2))].sort()).toEqual(['delivered', 'timeout']);
    expect(await harness.deliveries(m)).toMatchObject([{ outcome: 'delivered', waits: false }]);
  });
});

describe('endpoints that hang', () => {
  it('cost the others next to nothing, though half of a hundred do', async () => {
    const all = Array.from({ length: 100 }, (_, at) => `${m}-${at}`);
    for (const other of all) await harness.endpoint(other, url(other));
    const healthy = all.filter((_, at) => at % 2 === 0);
    for (const other of all)
      if (!healthy.includes(other)) receiver.answers.set(`/${other}`, () => undefined);
    harness.work({ statusWithinMs: 3000, leaseMs: 10_000 });
    // Much waits for those that hang before the others have anything.
    for (const other of all) if (!healthy.includes(other)) await harness.owe(other, 20);
    await sleep(300);
    const startedAt = performance.now();
    for (const other of healthy) await harness.owe(other, 4);
    await until(() => healthy.every((other) => came(other).length >= 4));
    // Long before the first of the others has timed out.
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect(await waitingDeliveries(harness.database)).toMatchObject({
      waiting: expect.any(Number),
    });
  });
});
