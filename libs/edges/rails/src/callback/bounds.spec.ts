import { type RailReport } from '#domain/rails';
import { type CollectionView } from '#domain/collections';
import { EventStoreUnavailable } from '#domain/event-sourcing';
import { DependencyUnavailable, ok, Timer } from '#domain/kernel';
import { type DueInboxEntry, Inbox } from '../inbox/inbox.js';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CollectionsClient } from '../collections-client.js';
import { type Claimed, ClaimedReferences } from '../inbox/rail-reference-claims.js';
import { MessagesInMemory, sealedMessage } from '#testing';
import { CallbackRecords, type ReceivedCallback } from './callback-records.js';
import { DirectConfirmations } from './direct-confirmations.js';

/** Lets time pass only when the test says so. */
class HeldTimer extends Timer {
  readonly asked: number[] = [];
  private readonly sleepers: (() => void)[] = [];
  sleep(ms: number): Promise<void> {
    this.asked.push(ms);
    return new Promise((resolve) => this.sleepers.push(resolve));
  }
  passAll(): void {
    for (const wake of this.sleepers.splice(0)) wake();
  }
}

const report = {
  by: 'query',
  railReference: 'x',
  verdict: { kind: 'unresolved' },
} satisfies RailReport;
const key = { mode: 'demo', merchantId: 'm', reference: 'r' } as const;
const metadata = { correlationId: 'c', actor: { kind: 'rail', id: 'mpesa' } } as const;
const never = new Promise<never>(() => undefined);
const claim = {
  channel: 'mpesa',
  mode: 'demo',
  railReference: 'ws_CO_1',
  stream: 's',
} as const;
const kept = { id: 'i', stream: 's', fromRail: true } as ReceivedCallback;

let timer: HeldTimer;
beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  timer = new HeldTimer();
});

describe('callbacks that wait for an append', () => {
  let confirmed = 0;
  const confirmations = (outcome: () => Promise<unknown>) => {
    class Bus extends CollectionsClient {
      constructor() {
        super(undefined as never, undefined as never, undefined as never);
      }
      override confirm(): never {
        confirmed += 1;
        return outcome() as never;
      }
    }
    return new DirectConfirmations(new Bus(), undefined as never, timer);
  };
  beforeEach(() => {
    confirmed = 0;
  });

  it('are at most 64, including those that no caller waits for any more', async () => {
    const direct = confirmations(() => never);
    const answers = Array.from({ length: 200 }, () => direct.isApplied(key, report, metadata));
    await expect(answers[199]).resolves.toBe(false);
    expect(confirmed).toBe(64);
    timer.passAll();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([false]));
    expect(await direct.isApplied(key, report, metadata)).toBe(false);
    expect(confirmed).toBe(64);
    expect(new Set(timer.asked)).toEqual(new Set([2000]));
  });

  it('free their place when their append ends, however it ends', async () => {
    const endings = [
      () => Promise.resolve(ok({} as CollectionView)),
      () => Promise.reject(new EventStoreUnavailable('the test took it away')),
    ];
    let calls = 0;
    const direct = confirmations(() => endings[(calls += 1) % 2]?.() ?? never);
    for (let count = 0; count < 200; count += 1) await direct.isApplied(key, report, metadata);
    expect(confirmed).toBe(200);
  });
});

describe('callbacks that are written', () => {
  const records = (writing: () => Promise<void>) => {
    class Messages extends MessagesInMemory {
      override keep = () => writing().then(() => Buffer.alloc(32));
    }
    class Writing extends Inbox {
      add = writing;
      keptOf = (): Promise<number> => writing().then(() => 64);
      openBeside = (): Promise<number> => writing().then(() => 1024);
      leaseDue = (): Promise<DueInboxEntry[]> => Promise.resolve([]);
      conclude = (): Promise<void> => Promise.resolve();
      reschedule = (): Promise<void> => Promise.resolve();
      giveBack = (): Promise<void> => Promise.resolve();
    }
    class Claims extends ClaimedReferences {
      claim = (): Promise<Claimed> =>
        writing().then(() => ({ kind: 'taken', stream: 'another', isBrought: false }));
      takeOver = (): Promise<boolean> => Promise.resolve(false);
      release = (): Promise<void> => Promise.resolve();
    }
    return new CallbackRecords(new Messages(), new Writing(), new Claims(), timer);
  };

  it('are not acknowledged if the records do not answer within 3 s', async () => {
    const hanging = records(() => never);
    const answers = [
      hanging.keepRaw(sealedMessage()),
      hanging.putIntoInbox(kept),
      hanging.claimReference(claim),
    ];
    expect(timer.asked).toEqual([3000, 3000, 3000]);
    timer.passAll();
    expect(await Promise.all(answers)).toEqual([false, false, false]);
  });

  it('are not acknowledged if the records refuse them', async () => {
    const away = records(() => Promise.reject(new DependencyUnavailable('postgres', 'away')));
    expect([await away.keepRaw(sealedMessage()), await away.putIntoInbox(kept)]).toEqual([
      false,
      false,
    ]);
    expect(await away.claimReference(claim)).toBe(false);
    // If the count fails, the callback is still admitted: the write itself then succeeds or fails.
    expect(await away.hasRoomFor('s')).toBe(true);
    expect(await records(() => Promise.resolve()).hasRoomFor('s')).toBe(false);
  });
});
