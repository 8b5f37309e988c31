import { randomUUID } from 'node:crypto';
import { EventStore } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { Database, isDiskFull } from '#infra/postgres';
import { SystemClock, SystemTimer } from '#infra/runtime';
import { type ReplayOptions, type ReplayProgress, ReplayRefused, SwapUnknown } from '#views/replay';
import { viewSchema } from '#views/view-set';
import { withApp } from '../../app.js';
import { endProgress, showProgress } from '../../print.js';
import { Refused } from '../../refused.js';

/**
 * Runs a replay with its dependencies, and says why if it was not done.
 * @throws Refused
 */
export async function replaying<T>(
  by: string,
  work: (options: ReplayOptions) => Promise<T>,
): Promise<T> {
  try {
    return await withApp((app) =>
      work({
        database: app.get(Database),
        store: app.get(EventStore),
        clock: new SystemClock(0),
        timer: new SystemTimer(),
        serving: viewSchema(),
        by,
        holder: `cli-${randomUUID()}`,
        onProgress: progressLine(),
      }),
    );
  } catch (error) {
    if (error instanceof ReplayRefused || error instanceof SwapUnknown)
      throw new Refused([error.message]);
    if (!(error instanceof DependencyUnavailable)) throw error;
    throw new Refused([whatToDo(error)]);
  } finally {
    endProgress();
  }
}

function whatToDo(error: DependencyUnavailable): string {
  const why = isDiskFull(error)
    ? 'the disk of Postgres is full: make room'
    : `${error.message}: wait until it answers`;
  return `${why}, then replay again, which goes on where this one ended. The serving views are as they were`;
}

/** Shows position, events a second and the time left, on one line of a terminal. */
function progressLine(): (progress: ReplayProgress) => void {
  let begun: { readonly at: number; readonly position: bigint } | undefined;
  return ({ doing, position, target, events, table }) => {
    if (doing === 'comparing') {
      showProgress(`comparing ${table ?? ''}`);
      return;
    }
    begun ??= { at: performance.now(), position };
    const seconds = (performance.now() - begun.at) / 1000;
    const done = Number(position - begun.position);
    const left = done > 0 ? (seconds * Number(target - position)) / done : undefined;
    const percent = target === 0n ? 100n : (position * 100n) / target;
    const bar = '#'.repeat(Number(percent) / 4).padEnd(25, '.');
    const rate = Math.round(events / Math.max(seconds, 0.1)).toLocaleString('en');
    showProgress(
      `[${bar}] ${percent} %, ${rate} events/s${left === undefined ? '' : `, ${duration(left)} left`}`,
    );
  };
}

function duration(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.ceil(seconds % 60)];
  return minutes >= 60
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : minutes > 0
      ? `${minutes} min ${rest} s`
      : `${rest} s`;
}
