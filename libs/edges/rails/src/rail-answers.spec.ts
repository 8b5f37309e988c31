import { type SealedMessage } from '#domain/evidence';
import { DependencyUnavailable, Timer } from '#domain/kernel';
import { Metrics, UuidIds } from '#infra/runtime';
import { Keyring, openEvidence, openMessage, sha256Hex } from '#shared/signing';
import { MessagesInMemory } from '#testing';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { RailAnswers } from './rail-answers.js';

/** Time that passes at once, or never. */
class NotedTimer extends Timer {
  readonly slept: number[] = [];
  isHeld = false;
  sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    return this.isHeld ? new Promise(() => undefined) : Promise.resolve();
  }
}

/** Records that are away for so many statements. */
class AwayMessages extends MessagesInMemory {
  awayFor = 0;
  asked = 0;
  override keep(message: SealedMessage): Promise<Uint8Array> {
    this.asked += 1;
    return this.asked <= this.awayFor
      ? Promise.reject(new DependencyUnavailable('postgres', 'away'))
      : super.keep(message);
  }
}

const keyring = Keyring.from([{ id: 'k', bytes: Buffer.alloc(32, 7) }]);
const bytes = Buffer.from('{"ResponseCode":"0"}');
const stream = 'collection-demo:m:r';
let timer: NotedTimer;
let messages: AwayMessages;
let answers: RailAnswers;
let metrics: Metrics;
beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  timer = new NotedTimer();
  messages = new AwayMessages();
  metrics = new Metrics();
  answers = new RailAnswers(messages, { keyring, ids: new UuidIds(), timer, metrics });
});
const lost = async () =>
  /rail_answers_lost_total\{[^}]*\} (\d+)/.exec(await metrics.registry.metrics())?.[1];

it('a push’s answer proves the bytes that are kept of it, and its own key opens both', async () => {
  const proof = answers.soon({ kind: 'push_answer', stream, bytes });
  await answers.settled();
  const kept = messages.kept.get(proof.evidence.messageId ?? '');
  if (!kept) throw new Error('nothing was kept');
  const { json } = openEvidence(keyring, proof, kept.ownKey);
  expect(JSON.parse(json.toString())).toEqual({ digest: sha256Hex(bytes) });
  expect(openMessage(keyring, { messageId: kept.id, ownKey: kept.ownKey }, kept)).toEqual(bytes);
});

it('a push’s answer is written again and again while Postgres is away, and no caller waits for it', async () => {
  messages.awayFor = 3;
  answers.soon({ kind: 'push_answer', stream, bytes });
  await answers.settled();
  expect(timer.slept).toEqual([500, 1000, 2000]);
  expect([messages.kept.size, await lost()]).toEqual([1, undefined]);
});

it('a push’s answer is given up after half a minute, and counted', async () => {
  messages.awayFor = Infinity;
  answers.soon({ kind: 'push_answer', stream, bytes });
  await answers.settled();
  expect(timer.slept.reduce((sum, ms) => sum + ms, 0)).toBe(15_500);
  expect([messages.kept.size, await lost()]).toEqual([0, '1']);
});

it('answers beyond a few thousand that wait are dropped, so that an outage does not exhaust memory', () => {
  messages.awayFor = Infinity;
  timer.isHeld = true;
  for (let count = 0; count < 5000; count += 1)
    answers.soon({ kind: 'push_answer', stream, bytes });
  expect(messages.asked).toBe(4096);
});

it('an order’s answer is durable before its event names it; if it cannot be kept, no event may name it', async () => {
  const proof = await answers.kept({ kind: 'order_answer', stream, bytes });
  expect(messages.kept.get(proof?.evidence.messageId ?? '')).toMatchObject({
    kind: 'order_answer',
  });
  messages.awayFor = Infinity;
  expect(await answers.kept({ kind: 'order_answer', stream, bytes })).toBeUndefined();
});
