import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { collectionStream } from '#domain/collections';
import { projectedPrefixes } from '#views/view-set';
import { type OwnServers, startOwnServers } from '#testing';
import { accepted, paidCallback, RailHarness } from '../../../../../test/rail/harness.js';
import { InboxStep } from './inbox-step.js';

const many = 200;
/** Two workers on one inbox. */
let steps: readonly (() => Promise<unknown>)[];
let servers: OwnServers;
let harness: RailHarness;

beforeAll(async () => {
  servers = await startOwnServers();
  harness = await RailHarness.start(servers.env.EVENTSTORE_URL);
  const other = await RailHarness.beside(harness);
  steps = [harness.app, other].map((app) => {
    const inbox = app.get(InboxStep, { strict: false });
    return () => inbox.step();
  });
});
afterAll(async () => {
  await harness.stop();
  await servers.stop();
});
afterEach(() => harness.database.query('delete from records.callback_inbox'));

interface Collected {
  readonly stream: string;
  readonly railReference: string;
}

async function collections(count: number): Promise<readonly Collected[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const push = accepted();
      return { stream: await harness.collection(push), railReference: push.railReference };
    }),
  );
}

/** @returns the statuses of the answers and how long the slowest took */
async function callBackAll(all: readonly Collected[]) {
  const begun = performance.now();
  const answers = await Promise.all(
    all.map(({ stream, railReference }) => harness.callBack(stream, paidCallback(railReference))),
  );
  const statuses = new Set(answers.map(([status]) => status));
  return { statuses: [...statuses], slowestMs: performance.now() - begun };
}

/**
 * Runs both workers' loops, each of which continues at once after a failure.
 * @returns milliseconds until no entry waits
 */
async function untilAllApplied(): Promise<number> {
  const begun = performance.now();
  for (;;) {
    await Promise.allSettled(steps.map((step) => step()));
    const [left] = await harness.database.query<{ count: number }>(
      'select count(*)::int as count from records.callback_inbox where applied_at is null',
    );
    if (left?.count === 0) return performance.now() - begun;
    if (performance.now() - begun > 120_000) throw new Error(`${left?.count} are left`);
    await sleep(20);
  }
}

/** Makes all waiting entries an hour older, with one second between them. */
async function anHourPasses(): Promise<readonly string[]> {
  await harness.database.query(
    `update records.callback_inbox as entry
        set received_at = entry.received_at - interval '1 hour' + number * interval '1 second',
            next_attempt_at = entry.received_at - interval '1 hour' + number * interval '1 second'
       from (select id, row_number() over (order by md5(id::text)) as number
               from records.callback_inbox) as numbered
      where numbered.id = entry.id`,
  );
  const rows = await harness.database.query<{ stream: string }>(
    'select stream from records.callback_inbox order by received_at',
  );
  return rows.map(({ stream }) => stream);
}

async function postedAt(stream: string): Promise<bigint | undefined> {
  const wallets = (await harness.history(stream)).filter(({ type }) => type === 'WalletPosted');
  expect(wallets).toHaveLength(1);
  return wallets[0]?.position;
}

/** Returns the largest distance between a posting's place and the place that its age gives it. */
async function disorder(oldestFirst: readonly string[]): Promise<number> {
  const posted: { stream: string; position: bigint }[] = [];
  // One after the other: each read has a deadline, which hundreds of parallel reads would share.
  for (const stream of oldestFirst)
    posted.push({ stream, position: (await postedAt(stream)) ?? 0n });
  posted.sort((a, b) => (a.position < b.position ? -1 : 1));
  return Math.max(...posted.map(({ stream }, at) => Math.abs(at - oldestFirst.indexOf(stream))));
}

describe.each([
  ['killed', () => servers.kill('eventstore'), () => servers.start('eventstore'), 64],
  // Appends that were under way when the store froze come first when it thaws, however young they are.
  ['frozen', () => servers.freeze('eventstore'), () => servers.thaw('eventstore'), many],
])('while the event store is %s for an hour', (_, takeAway, bringBack, maxOutOfPlace) => {
  it('callbacks are answered within the deadline and wait; then all are applied in seconds, the oldest first', async () => {
    const all = await collections(many);
    await takeAway();
    const { statuses, slowestMs } = await callBackAll(all);
    expect(statuses).toEqual([200]);
    expect(slowestMs).toBeLessThan(60_000);
    // All places for callbacks that wait for the store are taken, so the next ones do not even try.
    expect((await callBackAll(all.slice(0, 20))).statuses).toEqual([200]);
    await expect(steps[0]?.()).rejects.toThrow('event store is unavailable');
    const oldestFirst = [...new Set(await anHourPasses())];
    expect(oldestFirst).toHaveLength(many);
    await bringBack();
    const ms = await untilAllApplied();
    expect(ms).toBeLessThan(120_000);
    expect(await disorder(oldestFirst)).toBeLessThan(maxOutOfPlace);
  });
});

it('callbacks that were applied from the inbox change nothing when they are replayed', async () => {
  const all = await collections(30);
  harness.store.isAway = true;
  await callBackAll(all);
  harness.store.isAway = false;
  await untilAllApplied();
  const head = await harness.store.head(projectedPrefixes);
  await harness.database.query(
    `update records.callback_inbox set applied_at = null, next_attempt_at = received_at`,
  );
  await untilAllApplied();
  expect(await harness.store.head(projectedPrefixes)).toBe(head);
});

it('two workers do not take the same callback', async () => {
  const all = await collections(60);
  harness.store.isAway = true;
  await callBackAll(all);
  harness.store.isAway = false;
  await untilAllApplied();
  const rows = await harness.database.query('select attempts from records.callback_inbox');
  expect(rows).toHaveLength(60);
  expect(new Set(rows.map((row) => row['attempts']))).toEqual(new Set([1]));
});

it('an entry whose stream never answers does not keep the others waiting', async () => {
  const [poison, ...others] = await collections(10);
  if (!poison) throw new Error('there is no collection');
  harness.store.isAway = true;
  await callBackAll([poison, ...others]);
  harness.store.isAway = false;
  harness.store.awayFor.add(poison.stream);
  await harness.database.query(
    `update records.callback_inbox set next_attempt_at = next_attempt_at - interval '1 hour',
        received_at = received_at - interval '1 hour' where stream = $1`,
    [poison.stream],
  );
  for (let round = 0; round < 5; round += 1) await Promise.allSettled(steps.map((step) => step()));
  for (const { stream } of others) expect(await postedAt(stream)).toBeDefined();
  harness.store.awayFor.clear();
  await harness.database.query(
    `update records.callback_inbox set next_attempt_at = received_at where applied_at is null`,
  );
  await untilAllApplied();
  expect(await postedAt(poison.stream)).toBeDefined();
});

it('a callback for a collection that does not exist is left for review and counted as such', async () => {
  const key = { mode: 'demo', merchantId: 'nobody', reference: randomUUID() } as const;
  const stream = collectionStream(key);
  await harness.callBack(stream, paidCallback('ws_CO_nobody'));
  await harness.ageInbox(stream, 49 * 3_600_000);
  for (let tried = 0; tried < 4; tried += 1) {
    // Only one worker runs, because the test reads its counter below.
    await steps[0]?.();
    await harness.ageInbox(stream, 7 * 3_600_000);
  }
  const [row] = await harness.inboxOf(stream);
  expect(row?.outcome).toMatch(/^left_for_review: /);
  expect(await harness.metrics.registry.metrics()).toMatch(
    /pesapost_callback_inbox_concluded_total\{outcome="left_for_review"\} [1-9]/,
  );
});
