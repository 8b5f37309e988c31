import { randomUUID } from 'node:crypto';
import { Pipeline } from '#domain/event-sourcing';
import { type Timer } from '#domain/kernel';
import { MemoryLog, ReachedLog, suspendedOnce } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type PushOutcome, type QueryOutcome, Rail, type RailLimits } from '#domain/rails';
import { type CollectionEvent, collectionStream } from '../collection.events.js';
import { collectionDecider } from '../collection.js';
import { decideReview } from '../review/review.decide.js';
import { InitiateCollection, InitiateCollectionHandler } from './initiate-collection.command.js';
import { type CollectionDetails, PhoneVault } from './initiate-collection.decide.js';
import { PromptPushes } from './prompt-pushes.js';
import { PushAnswers } from './push-answers.js';

const key = { mode: 'demo', merchantId: 'm', reference: 'INV-1' } as const;
const stream = collectionStream(key);
const details = {
  account: {
    merchantId: 'm',
    mode: 'demo',
    accountNo: '1001',
    currency: 'KES',
    feeSchedule: { basisPoints: 150, flatMinor: 0n },
    channels: ['mpesa'],
  },
  phone: '254712345678',
  amountMinor: 10_000n as CollectionDetails['amountMinor'],
  channel: 'mpesa',
  reference: 'INV-1',
  origin: 'v4',
} as const;
const metadata = {
  correlationId: 'c',
  actor: { kind: 'credential', id: 'k' },
  commitment: 'c0ffee',
} as const;

class CountingRail extends Rail {
  pushes = 0;
  override channels = () => [];
  override limits = (): RailLimits | undefined => undefined;
  override query = (): Promise<QueryOutcome> => Promise.resolve({ kind: 'unanswered' });
  override push = (): Promise<PushOutcome> => {
    this.pushes += 1;
    return Promise.resolve({ kind: 'accepted', railReference: 'ws_CO_1' });
  };
}

class Phones extends PhoneVault {
  override tracesOf = () => ({ phoneHmac: 'h', phoneMasked: '2547*****678' });
}

let log: MemoryLog;
let rail: CountingRail;
beforeEach(() => {
  log = new MemoryLog();
  rail = new CountingRail();
});

const ids = { next: randomUUID };

/** The collection's events after its intent. */
const later = () => log.events.slice(1).map(({ type, data }) => ({ type, data }));

describe('a process that was suspended between the intent and its push', () => {
  /** @param meanwhile the actions of others while the process is suspended and its append is answered */
  function resumed(afterMs: number, meanwhile = (): Promise<unknown> => Promise.resolve()) {
    const { clock, at } = suspendedOnce(afterMs, meanwhile);
    const pipeline = new Pipeline(new ReachedLog(log, at), ids);
    const pushes = new PromptPushes(rail, clock);
    const timer = {} as Timer;
    const answers = new PushAnswers({ pipeline, timer, onLost: () => undefined });
    const handler = new InitiateCollectionHandler(pipeline, pushes, new Phones(), answers);
    return handler.execute(new InitiateCollection(details, metadata));
  }

  it('pushes nothing any more, and the collection has failed', async () => {
    expect(await resumed(6 * 3_600_000)).toMatchObject({ ok: false, refusal: 'rail_rejected' });
    expect(rail.pushes).toBe(0);
    expect(later()).toEqual([{ type: 'RailPushRejected', data: { failureCode: 'not_sent' } }]);
  });

  it('pushes if the suspension was brief', async () => {
    expect(await resumed(30_000)).toMatchObject({ ok: true });
    expect(rail.pushes).toBe(1);
    expect(later()).toMatchObject([{ type: 'RailPushAccepted' }]);
  });

  it('does not change what operators decided', async () => {
    const pipeline = new Pipeline(log, ids);
    const step = { decider: collectionDecider, stream, metadata };
    const flagged: CollectionEvent = { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } };
    const decided = async () => {
      const before = await pipeline.load(step);
      await pipeline.appendTo(step, before, [flagged]);
      const deciders = { reason: 'not on the statement', proposedBy: 'olga' };
      await pipeline.run(step, (state) =>
        decideReview({ decision: 'failed' }, deciders, state, undefined),
      );
    };
    expect(await resumed(72 * 3_600_000, decided)).toMatchObject({ ok: false });
    expect(rail.pushes).toBe(0);
    expect(later().map(({ type }) => type)).toEqual([
      'ReviewFlagged',
      'ReviewDecided',
      'RailDeclined',
    ]);
  });
});
