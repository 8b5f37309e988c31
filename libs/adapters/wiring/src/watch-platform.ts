import { findLastAuditCheck } from '#records/operations';
import { auditStream, type DaySealed } from '#domain/audit';
import { readHeartbeats, silentAfterSeconds } from '#infra/postgres';
import { cachedFor, type HealthCheck, type Metrics, ShownFailure } from '#infra/runtime';
import {
  type FloatStanding,
  isFault,
  lastSeenSeconds,
  type PlatformSources,
  processesStanding,
  processFaults,
  type RailWatch,
  serverStandings,
} from '#desk/operators';

/** One reading serves all concurrent scrapes. */
const cachedMs = 1000;
const sealCachedMs = 30_000;

/**
 * Shows what a missing or frozen process cannot report itself (OPS-51): the servers, when each app was last seen, the
 * last audit check and the last sealed day.
 * @returns the checks of readiness (OPS-52)
 */
export function watchPlatform(
  sources: PlatformSources,
  metrics: Metrics,
  rails: Pick<RailWatch, 'floats'>,
): { readonly processes: HealthCheck; readonly audit_check: HealthCheck } {
  const { database, store } = sources.servers;
  const servers = cachedFor(cachedMs, () => serverStandings(sources));
  metrics.gauge({
    name: 'server_up',
    help: '1 if the server answers this process, 0 if not',
    labels: ['server'],
    collectAll: async () =>
      (await servers()).map((part) => ({
        labels: { server: part.what.replace(' ', '_') },
        value: isFault(part) ? 0 : 1,
      })),
  });
  const seen = cachedFor(cachedMs, () => readHeartbeats(database));
  metrics.gauge({
    name: 'process_last_seen_seconds',
    help: 'Since the newest sign of life of an app, by the database’s clock; infinite if none runs',
    labels: ['app'],
    collectAll: async () => {
      // None while Postgres is down; the metric of servers reports that.
      const heartbeats = await seen().catch(() => undefined);
      if (!heartbeats) return [];
      return [...lastSeenSeconds(heartbeats)].map(([app, value]) => ({ labels: { app }, value }));
    },
  });
  metrics.gauge({
    name: 'loop_stalled',
    help: '1 for each loop that completes no step in a running process of the app',
    labels: ['app', 'loop'],
    collectAll: async () => {
      const { stalled } = processesStanding(await seen().catch(() => []));
      return stalled.flatMap(({ app, stalledLoops }) =>
        stalledLoops.map((loop) => ({ labels: { app, loop }, value: 1 })),
      );
    },
  });
  metrics.gauge({
    name: 'audit_check_faults',
    help: 'Faults that the last audit check found; 0 before the first',
    collect: () =>
      findLastAuditCheck(database).then(
        (last) => last?.faults ?? 0,
        () => NaN,
      ),
  });
  const sealed = cachedFor(sealCachedMs, () => store.readLast<DaySealed>(auditStream));
  metrics.gauge({
    name: 'audit_sealed_until',
    help: 'The last sealed day, as Unix seconds of its date in UTC; 0 before the first',
    collect: () =>
      sealed().then(
        (last) => (last ? Date.parse(last.data.date) / 1000 : 0),
        () => NaN,
      ),
  });
  watchFloats(rails, metrics);
  return {
    processes: processesCheck(seen),
    audit_check: async () => {
      const last = await findLastAuditCheck(database);
      if (last && last.faults > 0)
        throw new ShownFailure(`the last audit check failed: ${last.cause}`);
      return undefined;
    },
  };
}

/** Processes that start together have ten seconds to appear. */
function processesCheck(seen: () => ReturnType<typeof readHeartbeats>): HealthCheck {
  const startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < silentAfterSeconds * 1000) return undefined;
    const faults = processFaults(processesStanding(await seen()));
    if (faults.length > 0) throw new ShownFailure(faults.join('; '));
    return undefined;
  };
}

/** Shows the same as the worker, which asks the rail. Every process knows the latest answer. */
function watchFloats(rails: Pick<RailWatch, 'floats'>, metrics: Metrics): void {
  const floats = cachedFor(cachedMs, () => rails.floats());
  const shown = async (of: (float: FloatStanding) => number) =>
    (await floats().catch(() => [])).map((float) => {
      const { channel, mode } = float;
      return { labels: { channel, mode }, value: of(float) };
    });
  const labels = ['channel', 'mode'] as const;
  metrics.gauge({
    name: 'rail_float_minor',
    help: 'Last reported balance of the rail’s own account, in minor units; NaN if it is not known',
    labels,
    collectAll: () => shown(({ told }) => Number(told?.minor ?? NaN)),
  });
  metrics.gauge({
    name: 'rail_float_told_at_seconds',
    help: 'When the rail was asked for its last reported balance, in Unix seconds; NaN if it is not known',
    labels,
    collectAll: () => shown(({ told }) => (told?.atMs ?? NaN) / 1000),
  });
}
