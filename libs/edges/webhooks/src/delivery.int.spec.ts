import { EventStoreUnavailable } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { deleteOld } from '#records/operations';
import {
  type AttemptOutcome,
  DeliveryQueue,
  expireDeliveries,
  failingEndpoints,
  type LeasedDelivery,
  listWebhookHealth,
  listWebhookHours,
  resendWebhook,
  waitingDeliveries,
  type WebhookHour,
} from '#records/webhooks';
import { verifyWebhook } from '#sdk';
import { eventually } from '#testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { alertsFiredBy } from '../../../../test/servers/alerts.js';
import { keyOf, WebhookHarness } from '../test/harness.js';
import { type Received, Receiver, status } from '../test/receiver.js';
import { deliveredWithinMs } from './schedule.js';

let harness: WebhookHarness;
let receiver: Receiver;
let merchants = 0;
/** The merchant of the test. Its endpoint is the receiver's path with that name. */
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
function until(accepted: () => boolean, withinMs = 120_000): Promise<boolean> {
  return eventually(() => Promise.resolve(accepted()), Boolean, { withinMs, everyMs: 10 });
}
function untilAttempts(count: number, merchantId = m): Promise<readonly string[]> {
  return eventually(
    () => harness.attempts(merchantId),
    ({ length }) => length >= count,
    { everyMs: 10 },
  );
}
const minute = 60_000;
/** Issues V3 credentials. Their ids and consumer keys are the merchant and a letter; c, the newest, is revoked. */
function consumerKeys(merchantId = m, letters = ['a', 'b', 'c']): Promise<unknown> {
  return harness.database.query(
    `insert into credentials (credential_id, merchant_id, kind, holder, consumer_key, revoked)
       select $1 || name, $1, 'v3', 'h', $1 || name, name = 'c' from unnest($2::text[]) as name`,
    [merchantId, letters],
  );
}
/** Returns the letter of the merchant's consumer key that signed the webhook. */
function keyedOn({ headers, body }: Received): string | undefined {
  return ['a', 'b', 'c'].find(
    (letter) =>
      headers['x-v3-signature'] ===
      createHmac('sha256', `${m}${letter}`).update(body).digest('hex'),
  );
}

describe('a webhook that is owed', () => {
  it('arrives signed, once, and is recorded', async () => {
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

  it('is sent in V3’s format, keyed on the newest consumer key, to the URL that the collection names', async () => {
    await harness.endpoint(m, url(), { kind: 'v3' });
    await consumerKeys();
    harness.work();
    await harness.owe(m, 1, { kind: 'v3' });
    await harness.owe(m, 1, { kind: 'v3', callbackUrl: receiver.url(`/${m}/own`) });
    await untilAttempts(2);
    const [received, own] = [came()[0], receiver.at(`/${m}/own`)[0]];
    // The host was removed from the merchant's list afterwards.
    await harness.database.query(`update merchants set hosts = '{}' where merchant_id = $1`, [m]);
    await harness.owe(m, 1, { kind: 'v3', callbackUrl: receiver.url(`/${m}/own`) });
    await untilAttempts(3);
    expect([came().length, receiver.at(`/${m}/own`).length]).toEqual([2, 1]);
    if (!received || !own) throw new Error('one did not come');
    expect(JSON.parse(own.body)).toMatchObject({ amount: '250.00', live: 0, receipt: 'SBX1' });
    expect(received.headers['x-v3-signature']).toBe(
      createHmac('sha256', `${m}b`).update(received.body).digest('hex'),
    );
    expect(received.headers['pesapost-signature']).toBeUndefined();
  });

  it('is counted by the endpoint’s hours, each attempt as delivered or failed', async () => {
    await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(500));
    harness.work();
    await harness.owe(m, 2);
    await untilAttempts(2);
    receiver.answers.delete(`/${m}`);
    await harness.pass(m, minute);
    const outcomes = await untilAttempts(4);
    const delivered = outcomes.filter((one) => one === 'delivered').length;
    const place = { merchantId: m, mode: 'demo' } as const;
    const hours = await listWebhookHours(harness.database, place, new Date(0));
    // The attempts may be of two hours.
    const total = (of: (hour: WebhookHour) => number) =>
      hours.reduce((sum, hour) => sum + of(hour), 0);
    expect([total((hour) => hour.delivered), total((hour) => hour.failed)]).toEqual([
      delivered,
      outcomes.length - delivered,
    ]);
    expect(hours.every(({ kind, hour }) => kind === 'v4' && hour.getTime() % 3_600_000 === 0)).toBe(
      true,
    );
  });

  it('is keyed in V3 on the consumer key that created the collection, until that is revoked', async () => {
    await harness.endpoint(m, url(), { kind: 'v3' });
    await consumerKeys();
    receiver.answers.set(`/${m}`, status(500));
    const before = harness.work();
    await harness.owe(m, 1, { kind: 'v3', createdBy: `${m}a` });
    await untilAttempts(1);
    await harness.pass(m, minute);
    await untilAttempts(2);
    await before.stop();
    receiver.answers.delete(`/${m}`);
    await harness.database.query(`update credentials set revoked = true where consumer_key = $1`, [
      `${m}a`,
    ]);
    // The first worker's cached keys are gone with it.
    harness.work();
    await harness.pass(m, 10 * minute);
    expect(await untilAttempts(3)).toEqual(['status', 'status', 'delivered']);
    expect(came().map(keyedOn)).toEqual(['a', 'a', 'b']);
  });

  it('is keyed in V3 on the newest consumer key if no valid key created the collection', async () => {
    await harness.endpoint(m, url(), { kind: 'v3' });
    await consumerKeys();
    harness.work();
    for (const createdBy of [`${m}c`, 'of V4']) await harness.owe(m, 1, { kind: 'v3', createdBy });
    await untilAttempts(2);
    expect(came().map(keyedOn)).toEqual(['b', 'b']);
  });

  it('waits in V3 while the log that names its key is away, but only if there are several keys', async () => {
    let isAway = true;
    harness.work({
      atLog: () => (isAway ? Promise.reject(new EventStoreUnavailable('spec')) : Promise.resolve()),
    });
    await harness.endpoint(m, url(), { kind: 'v3' });
    await consumerKeys();
    await harness.owe(m, 1, { kind: 'v3', createdBy: `${m}a` });
    const single = `${m}-single`;
    await harness.endpoint(single, url(single), { kind: 'v3' });
    await consumerKeys(single, ['a']);
    await harness.owe(single, 1, { kind: 'v3', createdBy: `${single}a` });
    expect(await untilAttempts(1, single)).toEqual(['delivered']);
    await sleep(300);
    expect(came()).toEqual([]);
    expect(await harness.deliveries(m)).toMatchObject([{ attempts: 0, waits: true }]);
    isAway = false;
    await harness.pass(m, minute);
    expect(await untilAttempts(1)).toEqual(['delivered']);
    expect(came().map(keyedOn)).toEqual(['a']);
  });

  it('waits for its secret, and for the views that contain its body', async () => {
    await harness.endpoint(m, url());
    const [id] = await harness.owe(m);
    await harness.database.query('update webhook_events set id = id, sequence = -1 where id = $1', [
      id,
    ]);
    const { metrics } = harness.work();
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
    const before = await metrics.registry.metrics();
    await harness.owe(other, 1, { kind: 'v3' });
    expect(await untilAttempts(1, other)).toEqual(['no_secret']);
    const after = await eventually(
      () => metrics.registry.metrics(),
      (text) => text.includes('outcome="no_secret"'),
    );
    expect(await alertsFiredBy(after, before)).toEqual(['WebhooksNotSent']);
  });
});

describe('an endpoint that fails', () => {
  it('is tried again by the schedule, with the same id and the same bytes', async () => {
    const secrets = await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(500));
    harness.work();
    const [id] = await harness.owe(m);
    await untilAttempts(1);
    await harness.pass(m, 500);
    await sleep(100);
    expect(came()).toHaveLength(1);
    await harness.pass(m, 5500);
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

  it('a delivery expires after 30 days, whether it was tried or its endpoint was disabled meanwhile', async () => {
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

  it('is not sent the body of another event that has the event’s number by now', async () => {
    await harness.endpoint(m, url());
    const [id = ''] = await harness.owe(m);
    await harness.database.query('update webhook_events set id = gen_random_uuid() where id = $1', [
      id,
    ]);
    const leased = await new Hand().lease(1, 1);
    expect(leased.map(({ webhookId, event }) => [webhookId, event])).toEqual([[id, undefined]]);
  });

  it('a delivery expires after 30 days if the views do not contain its event, however often it is put off', async () => {
    await harness.endpoint(m, url());
    const [id = '', kept = ''] = await harness.owe(m, 2);
    await harness.pass(m, deliveredWithinMs + minute);
    await harness.database.query('delete from webhook_events where id = $1', [id]);
    const hand = new Hand();
    await hand.resend(kept);
    const leased = await hand.lease(2, 1);
    const held = leased.filter(({ event }) => event !== undefined);
    expect([leased.length, held.map(({ webhookId }) => webhookId)]).toEqual([2, [kept]]);
    for (const one of leased) await hand.queue.putOff(one, 5000);
    await hand.resend(kept);
    expect(await expireDeliveries(harness.database, deliveredWithinMs)).toBe(1);
    expect(await harness.deliveries(m)).toMatchObject([
      { webhook_id: id, outcome: 'expired', attempts: 0 },
      { webhook_id: kept, outcome: null, waits: true },
    ]);
  });

  it('a delivery that a person requested again stays until long after its end', async () => {
    await harness.endpoint(m, url());
    const [id = ''] = await harness.owe(m);
    const hand = new Hand();
    const kept = 90 * 24 * 60 * minute;
    await harness.pass(m, kept + minute);
    await hand.resend(id);
    await deleteOld.webhookDeliveries(harness.database, kept);
    const [leased] = await hand.lease(1);
    await hand.record(leased, 'delivered');
    await deleteOld.webhookDeliveries(harness.database, kept);
    expect(await harness.deliveries(m)).toMatchObject([{ webhook_id: id, outcome: 'delivered' }]);
    await harness.pass(m, kept + minute);
    await deleteOld.webhookDeliveries(harness.database, kept);
    expect(await harness.deliveries(m)).toEqual([]);
  });

  it('is not tried by any worker after three failures, until a single attempt tests it', async () => {
    await harness.endpoint(m, url());
    receiver.answers.set(`/${m}`, status(500));
    harness.work();
    harness.work();
    await harness.owe(m, 40);
    await until(() => came().length >= 3);
    await sleep(500);
    const first = came().length;
    // Each of the two workers may have had four in flight when they began.
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

  it('is disabled if it answers that it is gone, and gets nothing while disabled', async () => {
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

/** The queue as one worker uses it, without a loop. */
class Hand {
  readonly queue = new DeliveryQueue(harness.database);
  readonly target = { ...keyOf(m), callbackHost: '' };

  lease(max: number, retries = 0): Promise<readonly LeasedDelivery[]> {
    const share = { ...this.target, failures: 0, isProbe: false, max, retries };
    return this.queue.lease([share], minute);
  }

  async record(
    delivery: LeasedDelivery | undefined,
    outcome: AttemptOutcome,
    againInMs?: number,
  ): Promise<void> {
    if (!delivery) throw new Error('nothing was leased');
    const again = againInMs === undefined ? {} : { againInMs };
    await this.queue.record({ delivery, outcome, durationMs: 1, ...again });
  }

  async resend(webhookId: string): Promise<void> {
    const [event] = await harness.database.query<{ sequence: bigint; recordedAt: Date }>(
      'select sequence, recorded_at as "recordedAt" from webhook_events where id = $1',
      [webhookId],
    );
    if (!event) throw new Error('there is no such event');
    const of = { ...event, id: webhookId, merchantId: m, mode: 'demo', type: 't' } as const;
    await resendWebhook(harness.database, of, 'v4', { actor: { kind: 'operator', id: 'asha' } });
  }
}

describe('an endpoint that refuses some events', () => {
  it('gets the other events as usual, and the refused ones again by their schedule', async () => {
    await harness.endpoint(m, url());
    const refused = new Set(await harness.owe(m, 30));
    const [ok, bad] = [status(200), status(400)];
    receiver.answers.set(`/${m}`, (socket, received) => {
      const answer = refused.has(idOf(received) as string) ? bad : ok;
      answer(socket, received);
    });
    harness.work();
    await untilAttempts(30);
    // The refused ones' next attempts, and the pause of a circuit if it had opened, begin much later.
    await harness.pass(m, -10 * minute);
    const others = await harness.owe(m, 20);
    await until(() => others.every((id) => came().some((one) => idOf(one) === id)), minute);
    const taken = await eventually(
      async () => (await harness.deliveries(m)).filter((one) => one.outcome === 'delivered'),
      ({ length }) => length >= 20,
    );
    expect(taken.map(({ webhook_id: id }) => id)).toEqual(others);
    const left = (await harness.deliveries(m)).filter(({ waits }) => waits);
    expect(left.map(({ attempts }) => attempts)).toEqual(Array<number>(30).fill(1));
    expect(new Set(await harness.attempts(m))).toEqual(new Set(['refused', 'delivered']));
    await harness.pass(m, 10 * minute + 6000);
    await until(() => came().length >= 80);
  });

  it('closes its circuit on a refusal, and is listed as failing after a day without a success', async () => {
    await harness.endpoint(m, url());
    await harness.owe(m, 5);
    const hand = new Hand();
    const leased = await hand.lease(5);
    const stands = async () => (await failingEndpoints(harness.database, 10)).endpoints;
    for (const failed of leased.slice(0, 3)) await hand.record(failed, 'timeout', minute);
    expect(await stands()).toMatchObject([{ failures: 3 }]);
    await hand.record(leased[3], 'refused', minute);
    expect(await stands()).toEqual([]);
    await harness.pass(m, 25 * 60 * minute);
    expect(await stands()).toMatchObject([{ failures: 0, lastOutcome: 'refused' }]);
    await hand.record(leased[4], 'delivered');
    expect(await stands()).toEqual([]);
  });
});

describe('an endpoint that gets another URL', () => {
  it('begins with a closed circuit, which late failures of the old URL do not open', async () => {
    await harness.endpoint(m, url());
    await harness.owe(m, 8);
    const hand = new Hand();
    const readied = async () => {
      const { targets } = await hand.queue.ready(undefined, 1000);
      return targets.filter(({ merchantId }) => merchantId === m);
    };
    const failures = async () => {
      const { endpoints } = await failingEndpoints(harness.database, 10);
      return endpoints.map((one) => one.failures);
    };
    const inFlight = await hand.lease(4);
    for (const failed of inFlight.slice(0, 3)) await hand.record(failed, 'timeout', 0);
    await harness.moveEndpoint(m, url());
    expect(await readied()).toEqual([]);
    expect(await failures()).toEqual([3]);
    expect(await listWebhookHealth(harness.database, m)).toMatchObject([{ failures: 3 }]);

    await harness.moveEndpoint(m, receiver.url(`/${m}/new`));
    const fresh = [{ ...hand.target, failures: 0, isProbe: false }];
    expect(await readied()).toEqual(fresh);
    expect(await failures()).toEqual([]);
    expect(await listWebhookHealth(harness.database, m)).toEqual([]);
    await hand.record(inFlight[3], 'timeout', 0);
    expect(await readied()).toEqual(fresh);

    for (const failed of await hand.lease(2)) await hand.record(failed, 'timeout', 0);
    expect(await readied()).toMatchObject([{ failures: 2, isProbe: false }]);
    for (const failed of await hand.lease(1)) await hand.record(failed, 'timeout', 0);
    expect(await readied()).toEqual([]);
    expect(await failures()).toEqual([3]);
    await hand.record((await hand.lease(1))[0], 'delivered');
    expect(await failures()).toEqual([]);
  });
});

describe('a host of callback URLs that hangs', () => {
  it('delays neither the endpoint nor other hosts, and gets few attempts itself', async () => {
    await harness.endpoint(m, url(), { kind: 'v3' });
    await harness.database.query(
      `insert into credentials (credential_id, merchant_id, kind, holder, consumer_key, revoked)
         values ($1, $1, 'v3', 'h', $1, false)`,
      [m],
    );
    const [dead, live] = [`/${m}/dead`, `/${m}/live`];
    receiver.answers.set(dead, () => undefined);
    harness.work({ statusWithinMs: 15_000, leaseMs: 30_000 });
    await harness.owe(m, 30, { kind: 'v3', callbackUrl: receiver.url(dead, '127.0.0.1') });
    await until(() => receiver.at(dead).length > 0);
    await harness.owe(m, 10, { kind: 'v3' });
    await harness.owe(m, 10, { kind: 'v3', callbackUrl: receiver.url(live) });
    await until(() => came().length === 10 && receiver.at(live).length === 10);
    // Nothing waited until the first of the others had timed out.
    expect(await harness.attempts(m)).not.toContain('timeout');
    await untilAttempts(24);
    await sleep(300);
    // As many as a target may have at first, and then one at a time until its circuit opens.
    expect(receiver.at(dead).length).toBeLessThanOrEqual(6);
    const { endpoints } = await failingEndpoints(harness.database, 10);
    expect(endpoints).toMatchObject([
      { ...keyOf(m, 'v3'), callbackHost: '127.0.0.1', lastOutcome: 'timeout' },
    ]);
    const before = came().length;
    await harness.owe(m, 1, { kind: 'v3' });
    await until(() => came().length > before);
  });

  it('is distinguished from the endpoint at its first attempt if an older release created the delivery', async () => {
    await harness.endpoint(m, url(), { kind: 'v3' });
    const callbackUrl = receiver.url(`/${m}/own`, '127.0.0.1');
    await harness.owe(m, 3, { kind: 'v3', callbackUrl });
    await harness.database.query(
      `update records.webhook_deliveries set callback_host = '' where merchant_id = $1`,
      [m],
    );
    const hand = new Hand();
    const share = { ...keyOf(m, 'v3'), callbackHost: '', failures: 0, isProbe: false };
    for (const delivery of await hand.queue.lease([{ ...share, max: 3, retries: 0 }], minute)) {
      expect(delivery).toMatchObject({ url: callbackUrl, goesTo: { callbackHost: '127.0.0.1' } });
      await hand.record(delivery, 'timeout', 0);
    }
    const { targets } = await hand.queue.ready({ ...share, merchantId: m, mode: '' as 'demo' }, 9);
    expect(targets).toEqual([]);
    expect(await hand.queue.lease([{ ...share, max: 3, retries: 0 }], minute)).toEqual([]);
    const host = { ...share, callbackHost: '127.0.0.1' };
    expect(await hand.queue.lease([{ ...host, max: 3, retries: 3 }], minute)).toHaveLength(3);
  });
});

describe('the queue of deliveries', () => {
  it('is shared by first attempts and retries, and neither leaves a place empty', async () => {
    await harness.endpoint(m, url());
    const old = await harness.owe(m, 5);
    const hand = new Hand();
    for (const one of await hand.lease(5)) await hand.record(one, 'status', 0);
    const fresh = await harness.owe(m, 5);
    const idsOf = async (max: number, retries: number) =>
      (await hand.lease(max, retries)).map(({ webhookId }) => webhookId);
    const half = await idsOf(4, 2);
    expect(half.filter((id) => fresh.includes(id))).toHaveLength(2);
    expect(half.filter((id) => old.includes(id))).toHaveLength(2);
    expect(fresh).toContain((await idsOf(1, 0))[0]);
    expect(old).toContain((await idsOf(1, 1))[0]);
    expect(await idsOf(9, 1)).toHaveLength(4);
  });

  it('finds the next deliveries without reading all the others that wait', async () => {
    await harness.endpoint(m, url());
    await harness.owe(m, 10);
    await harness.database.query(
      `insert into records.webhook_deliveries
           (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, attempts, turn)
         select gen_random_uuid(), 'v4', $1, 'demo', 100000 + n, 't', records.now_(), n % 2, 1 + n % 2
           from generate_series(1, 20000) n`,
      [m],
    );
    await harness.database.query('analyze records.webhook_deliveries');
    await harness.database.transaction(async (transaction) => {
      // The connection's earlier reads may not be reported to the server yet, so both counts include them.
      const rowsRead = async (): Promise<number> => {
        const [read] = await transaction.query<{ rows: number }>(
          `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
             from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`,
        );
        return read?.rows ?? 0;
      };
      const before = await rowsRead();
      const queue = new DeliveryQueue(transaction as unknown as Database);
      expect((await queue.ready(undefined, 1000)).targets.length).toBeGreaterThan(0);
      const share = { ...keyOf(m), callbackHost: '', failures: 0, isProbe: false };
      expect(await queue.lease([{ ...share, max: 64, retries: 32 }], minute)).toHaveLength(64);
      expect((await rowsRead()) - before).toBeLessThan(1000);
    });
    await harness.database.query('delete from records.webhook_deliveries where merchant_id = $1', [
      m,
    ]);
  });
});

describe('an event that a person has sent by hand', () => {
  it('goes first, through an open circuit', async () => {
    await harness.endpoint(m, url());
    const ids = await harness.owe(m, 8);
    const hand = new Hand();
    for (const one of await hand.lease(8)) await hand.record(one, 'status', 0);
    receiver.answers.set(`/${m}`, status(200));
    const asked = ids[5] ?? '';
    await hand.resend(asked);
    harness.work();
    await until(() => came().length > 0);
    expect(came().map(idOf)[0]).toBe(asked);
    await untilAttempts(16);
  });

  it('stays due, whatever the result of an attempt in flight', async () => {
    await harness.endpoint(m, url());
    const [id = ''] = await harness.owe(m);
    const hand = new Hand();
    for (const outcome of ['status', 'delivered', 'status'] as const) {
      const [inFlight] = await hand.lease(1);
      await hand.resend(id);
      await hand.record(inFlight, outcome, outcome === 'delivered' ? undefined : 12 * 60 * minute);
      expect(await harness.deliveries(m)).toMatchObject([{ waits: true, outcome: null }]);
    }
    const [inFlight] = await hand.lease(1);
    await hand.resend(id);
    // The delivery's 30 days are over.
    await hand.record(inFlight, 'status');
    const [again] = await hand.lease(1);
    expect(again).toMatchObject({ webhookId: id, attempt: 5 });
    await hand.record(again, 'delivered');
    expect(await harness.deliveries(m)).toMatchObject([{ outcome: 'delivered', waits: false }]);
  });

  it('does not block the recording of attempts, and locks no delivery while it waits for it', async () => {
    await harness.endpoint(m, url());
    const [id = ''] = await harness.owe(m);
    const hand = new Hand();
    await hand.record((await hand.lease(1))[0], 'status', minute);
    let resent: Promise<void> | undefined;
    await harness.database.query('update records.webhook_circuits set closed_until = now()');
    await harness.database.transaction(async (transaction) => {
      // This takes the same lock with which the recording of an attempt begins.
      await transaction.query(
        'select from records.webhook_circuits where merchant_id = $1 for update',
        [m],
      );
      resent = hand.resend(id);
      await eventually(
        () =>
          harness.database.query(
            `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%webhook_circuits%'`,
          ),
        ({ length }) => length > 0,
      );
      const held = `select from records.webhook_deliveries where webhook_id = $1 for update nowait`;
      expect(await transaction.query(held, [id])).toHaveLength(1);
    });
    await resent;
  });
});

describe('several workers', () => {
  it('never send the same delivery while its lease lasts', async () => {
    const others = Array.from({ length: 5 }, (_, at) => `${m}-${at}`);
    for (const other of others) await harness.endpoint(other, url(other));
    for (const other of others) await harness.owe(other, 60);
    for (let workers = 0; workers < 3; workers += 1) harness.work();
    const ids = () => others.flatMap((other) => came(other).map(idOf));
    await until(() => ids().length >= 300);
    await sleep(200);
    expect(ids()).toHaveLength(300);
    expect(new Set(ids()).size).toBe(300);
  });

  it('send a webhook again if one of them sent it and died before recording it', async () => {
    await harness.endpoint(m, url());
    const away = () => Promise.reject(new DependencyUnavailable('postgres', 'gone'));
    harness.work({
      queue: (queue) => Object.assign(Object.create(queue) as typeof queue, { record: away }),
    });
    const [id] = await harness.owe(m);
    await until(() => came().length === 1);
    await harness.rest();
    // Its lease ends.
    await harness.pass(m, 2 * minute);
    harness.work();
    await untilAttempts(1);
    expect(came().map(idOf)).toEqual([id, id]);
    expect(came()[0]?.body).toBe(came()[1]?.body);
    expect(await harness.deliveries(m)).toMatchObject([{ attempts: 2, outcome: 'delivered' }]);
  });

  it('keep a delivery as delivered even if an attempt with an expired lease fails afterwards', async () => {
    await harness.endpoint(m, url());
    const answer = status(200);
    let calls = 0;
    receiver.answers.set(`/${m}`, (socket, received) => {
      if ((calls += 1) > 1) answer(socket, received);
    });
    for (let workers = 0; workers < 2; workers += 1)
      harness.work({ leaseMs: 90_000, statusWithinMs: 8000 });
    await harness.owe(m);
    await until(() => calls === 1);
    // The lease of the first attempt ends, and the second one is made.
    await harness.pass(m, 2 * minute);
    expect([...(await untilAttempts(2))].sort()).toEqual(['delivered', 'timeout']);
    expect(await harness.deliveries(m)).toMatchObject([{ outcome: 'delivered', waits: false }]);
  });
});

describe('endpoints that hang', () => {
  it('cost the other endpoints next to nothing, even if half of a hundred hang', async () => {
    const all = Array.from({ length: 100 }, (_, at) => `${m}-${at}`);
    for (const other of all) await harness.endpoint(other, url(other));
    const healthy = all.filter((_, at) => at % 2 === 0);
    for (const other of all)
      if (!healthy.includes(other)) receiver.answers.set(`/${other}`, () => undefined);
    harness.work();
    // Many deliveries wait for the hanging targets before the others have any.
    for (const other of all) if (!healthy.includes(other)) await harness.owe(other, 20);
    await sleep(300);
    for (const other of healthy) await harness.owe(other, 4);
    await until(() => healthy.every((other) => came(other).length >= 4), minute);
    // None of the others has timed out yet.
    for (const other of all)
      if (!healthy.includes(other)) expect(await harness.attempts(other)).toEqual([]);
    expect(await waitingDeliveries(harness.database)).toMatchObject({
      waiting: expect.any(Number),
    });
  });
});
