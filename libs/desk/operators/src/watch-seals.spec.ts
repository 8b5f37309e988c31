import { type EventStore, EventStoreUnavailable } from '#domain/event-sourcing';
import { Clock } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { describe, expect, it } from '@jest/globals';
import { watchSeals } from './watch-seals.js';

const clockAt = (text: string): Clock =>
  new (class extends Clock {
    override nowMs = () => Date.parse(text);
  })();

async function told(now: string, answer: () => Promise<unknown>) {
  const metrics = new Metrics();
  const store = { readLast: answer } as unknown as Pick<EventStore, 'readLast' | 'readAll'>;
  const check = watchSeals(store, clockAt(now), metrics);
  const ready = await check(new AbortController().signal).then(
    (detail) => ({ detail }),
    (error: unknown) => ({ error: (error as Error).name }),
  );
  const text = await metrics.registry.metrics();
  return { ready, seconds: /^pesapost_audit_seal_overdue_seconds (.*)$/m.exec(text)?.[1] };
}

describe('a process that does not seal', () => {
  const sealed = () => Promise.resolve({ data: { date: '2026-11-01', timezone: 'UTC' } });

  it('reports up to which day the log is sealed', async () => {
    expect(await told('2026-11-03T01:00:00Z', sealed)).toEqual({
      ready: { detail: { sealed_until: '2026-11-01' } },
      seconds: '0',
    });
  });

  it('reports an overdue seal in its readiness and its metrics, without any worker', async () => {
    expect(await told('2026-11-03T02:05:00Z', sealed)).toEqual({
      ready: { error: 'SealOverdue' },
      seconds: '3600',
    });
  });

  it('does not claim that all is well while the log does not answer', async () => {
    const away = () => Promise.reject(new EventStoreUnavailable('away'));
    expect(await told('2026-11-03T01:00:00Z', away)).toEqual({
      ready: { error: 'EventStoreUnavailable' },
      seconds: 'Nan',
    });
  });
});
