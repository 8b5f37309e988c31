import { Clock } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import { isFault, platformStanding, type PlatformSources } from './platform.js';

/** A platform at an instant when only the event store answers, and the worker has been gone for long. */
function sourcesAt(now: string): PlatformSources {
  const clock = new (class extends Clock {
    override nowMs = () => Date.parse(now);
  })();
  const head = { data: { date: '2026-11-01', timezone: 'UTC', treeSize: '7' } };
  const store = {
    head: () => Promise.resolve(9n),
    readLast: (stream: string) => Promise.resolve(stream === 'platform-audit' ? head : undefined),
  };
  const database = { query: () => Promise.reject(new Error('away')) };
  const servers = { store, database, clock };
  return { servers, records: {}, given: { maxAgeMs: 1 } } as unknown as PlatformSources;
}

async function auditAt(now: string) {
  const parts = await platformStanding(sourcesAt(now));
  const audit = parts.find(({ what }) => what === 'audit');
  return audit && { state: audit.state, todo: audit.todo, isFault: isFault(audit) };
}

describe('the audit part of the platform’s standing', () => {
  it('is well while the day after the last sealed one need not be sealed yet', async () => {
    const well = { state: 'ok', todo: undefined, isFault: false };
    expect(await auditAt('2026-11-03T01:04:59Z')).toEqual(well);
  });

  it('is a fault as soon as a seal is overdue, even while Postgres is away', async () => {
    const late = { state: 'attention', todo: 'seal_late', isFault: true };
    expect(await auditAt('2026-11-03T01:05:00Z')).toEqual(late);
  });
});

describe('the queues of the platform’s standing', () => {
  /** A platform whose oldest collection, payout and webhook have waited for this long. */
  const queuesAt = async (seconds: number) => {
    const waits = [{ oldestSeconds: seconds, unsentSeconds: seconds, forFloat: 0, seconds }];
    const database = { query: () => Promise.resolve(waits) };
    const { store, clock } = sourcesAt('2026-11-03T01:00:00Z').servers;
    const given = { maxAgeMs: 1, reviewAfterMs: 172_800_000 };
    const sources = { servers: { store, database, clock }, given };
    const parts = await platformStanding(sources as unknown as PlatformSources);
    return (['rail', 'payouts', 'webhooks'] as const).map((what) => {
      const part = parts.find((each) => each.what === what);
      return part && [part.state, part.todo];
    });
  };

  it('are well while a worker empties them', async () => {
    expect(await queuesAt(5)).toEqual(Array(3).fill(['ok', undefined]));
  });

  it('are faults once they stand still', async () => {
    expect(await queuesAt(200_000)).toEqual([
      ['attention', 'collections_wait'],
      ['attention', 'payouts_unsent'],
      ['attention', 'webhooks_overdue'],
    ]);
  });
});

describe('the callbacks’ part of the platform’s standing', () => {
  /** A platform whose records answer as given. */
  const partOf = async (unposted: object | undefined, unopened = 0) => {
    const database = {
      query: (sql: unknown) => {
        const text = typeof sql === 'string' ? sql : (sql as { readonly text: string }).text;
        if (text.includes('"ofRail"')) return Promise.resolve(unposted ? [unposted] : []);
        if (text.includes('unopened_callbacks')) return Promise.resolve([{ callbacks: unopened }]);
        if (text.includes('oldest_seconds'))
          return Promise.resolve([{ entries: 0, oldest_seconds: 0 }]);
        return Promise.resolve([]);
      },
    };
    const { servers, given } = sourcesAt('2026-11-03T01:00:00Z');
    const { store, clock } = servers;
    const sources = { servers: { store, database, clock }, records: {}, given };
    const parts = await platformStanding(sources as unknown as PlatformSources);
    const part = parts.find(({ what }) => what === 'callbacks');
    return part && { todo: part.todo, isFault: isFault(part) };
  };
  const well = { todo: undefined, isFault: false };

  it('is a fault while only the rail’s own report shows a payment', async () => {
    expect(await partOf({ ofRail: 1, ofOthers: 0 })).toEqual({
      todo: 'callbacks_unposted',
      isFault: true,
    });
  });

  it('is well if only other senders report one, or if the views are not built yet', async () => {
    expect(await partOf({ ofRail: 0, ofOthers: 9 })).toEqual(well);
    expect(await partOf(undefined)).toEqual(well);
  });
});
