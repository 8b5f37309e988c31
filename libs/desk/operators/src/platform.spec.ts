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

  it('is a fault as soon as a seal is overdue, whatever else is away', async () => {
    const late = { state: 'attention', todo: 'seal_late', isFault: true };
    expect(await auditAt('2026-11-03T01:05:00Z')).toEqual(late);
  });
});
