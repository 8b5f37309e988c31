import { type EventStore } from '#domain/event-sourcing';
import { type Clock, msFromInstant } from '#domain/kernel';
import { cachedFor, type HealthCheck, type Metrics } from '#infra/runtime';
import { overdueSeal, readSealedSoFar } from './seals.js';

/** Probes and scrapes come every few seconds; the answer changes once a day. */
const cachedMs = 5000;

/** A day that is over was not sealed in time; readiness shows this name. */
class SealOverdue extends Error {
  override readonly name = 'SealOverdue';
}

/**
 * Reports an overdue seal from the log, in a process that does not seal: so a sealing process that is missing or fails
 * hides nothing (AUD-30).
 * @returns the check for readiness
 */
export function watchSeals(
  store: Pick<EventStore, 'readLast' | 'readAll'>,
  clock: Clock,
  metrics: Metrics,
): HealthCheck {
  const read = cachedFor(cachedMs, async () => {
    const soFar = await readSealedSoFar(store);
    return { soFar, overdue: overdueSeal(soFar, clock.nowMs()) };
  });
  metrics.gauge({
    name: 'audit_seal_overdue_seconds',
    help: 'For how long the seal of a day is overdue, by the log; 0 if none is',
    collect: () =>
      read().then(
        ({ overdue }) => (overdue ? (clock.nowMs() - msFromInstant(overdue.since)) / 1000 : 0),
        () => NaN,
      ),
  });
  return async () => {
    const { soFar, overdue } = await read();
    if (overdue) throw new SealOverdue(`the seal of ${overdue.date} is overdue`);
    return { sealed_until: soFar.sealed?.date ?? null };
  };
}
