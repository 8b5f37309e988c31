import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PushAnswers } from '#domain/collections';
import { DependencyUnavailable } from '#domain/kernel';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { accepted, RailHarness } from '../../../../test/rail/harness.js';

/** Longer than the first two looks take on a busy machine. */
const patienceMs = 60_000;
let harness: RailHarness;

beforeAll(async () => {
  harness = await RailHarness.start();
});
afterAll(() => harness.stop());
afterEach(() => {
  harness.store.isAway = false;
  harness.store.losesAnswers = false;
});

async function untilTypes(stream: string, count: number): Promise<string[]> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const types = await harness.types(stream);
    if (types.length >= count || performance.now() > giveUpAt) return types;
    await sleep(50);
  }
}

it('an intent whose append was not answered, and which is in the log, has failed: nothing was pushed', async () => {
  const reference = randomUUID();
  const stream = harness.streamOf(reference);
  harness.store.losesAnswers = true;
  await expect(harness.collection(accepted(), reference)).rejects.toThrow(DependencyUnavailable);
  harness.store.losesAnswers = false;
  expect(await untilTypes(stream, 2)).toEqual(['CollectionIntentRecorded', 'RailPushRejected']);
  const [intent, rejected] = await harness.history(stream);
  expect(rejected).toMatchObject({
    data: { failureCode: 'not_sent' },
    metadata: { causationId: intent?.id, actor: { kind: 'system' } },
  });
  await harness.app.get(PushAnswers, { strict: false }).settled();
  expect(harness.rail.pushes).not.toContain(stream);
});

it('an unanswered intent still fails if the store stays away for a while and loses further answers', async () => {
  const reference = randomUUID();
  const stream = harness.streamOf(reference);
  harness.store.losesAnswers = true;
  await expect(harness.collection(accepted(), reference)).rejects.toThrow(DependencyUnavailable);
  harness.store.isAway = true;
  await sleep(1500);
  harness.store.isAway = false;
  expect(await untilTypes(stream, 2)).toEqual(['CollectionIntentRecorded', 'RailPushRejected']);
  harness.store.losesAnswers = false;
  await harness.app.get(PushAnswers, { strict: false }).settled();
  expect(await harness.types(stream)).toHaveLength(2);
});

it('an intent that did not reach the log frees its reference for the next caller, whose intent it leaves alone', async () => {
  const reference = randomUUID();
  const stream = harness.streamOf(reference);
  harness.store.isAway = true;
  await expect(harness.collection(accepted(), reference)).rejects.toThrow(DependencyUnavailable);
  harness.store.isAway = false;
  await harness.collection(accepted(), reference);
  await harness.app.get(PushAnswers, { strict: false }).settled();
  expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded', 'RailPushAccepted']);
  expect(harness.rail.pushes.filter((pushed) => pushed === stream)).toHaveLength(1);
});
