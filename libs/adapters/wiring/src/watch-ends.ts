import { type Database } from '#infra/postgres';
import { cachedFor, type ProcessContext } from '#infra/runtime';
import { modes } from '#domain/kernel';
import { soonestCredentialEnds } from '#views/merchants';
import { certificateEndMs, certificateFiles } from './certificate-files.js';

/** Ends are days away. */
const cachedMs = 60_000;
/** For this long after its end a credential that was not revoked is still shown, so that its alert is not lost. */
const endedDays = 7;

interface Ends {
  readonly labels: { readonly what: string; readonly of: string };
  readonly value: number;
}

/**
 * Shows how long those things last that end by themselves (OPS-70), read at each scrape of the metrics. A thing without
 * a known end has no series.
 */
export function watchEnds(
  database: Database,
  {
    settings,
    servers,
    clock,
    metrics,
  }: Pick<ProcessContext, 'settings' | 'servers' | 'clock' | 'metrics'>,
): void {
  const files = certificateFiles(servers);
  const secondsUntil = (endMs: number): number => (endMs - clock.nowMs()) / 1000;

  const credentials = async (): Promise<readonly Ends[]> => {
    const ends = await soonestCredentialEnds(database, endedDays);
    return ends.map(({ mode: of, secondsLeft: value }) => ({
      labels: { what: 'credential', of },
      value,
    }));
  };
  const { mpesa, airtel } = settings.rails;
  const railSecrets = (): readonly Ends[] =>
    modes.flatMap((of) => {
      const days = {
        initiator_password: mpesa[of]?.payouts?.initiatorExpires,
        airtel_client_secret: airtel[of]?.secretExpires,
        airtel_pin: airtel[of]?.payouts?.pinExpires,
      };
      return Object.entries(days).flatMap(([what, day]) =>
        day === undefined ? [] : [{ labels: { what, of }, value: secondsUntil(Date.parse(day)) }],
      );
    });
  const certificates = async (): Promise<readonly Ends[]> => {
    const soonest = new Map<string, number>();
    for (const { of, file } of files) {
      const endMs = await certificateEndMs(file);
      if (endMs !== undefined) soonest.set(of, Math.min(endMs, soonest.get(of) ?? endMs));
    }
    return [...soonest].map(([of, endMs]) => ({
      labels: { what: 'certificate', of },
      value: secondsUntil(endMs),
    }));
  };

  const ends = cachedFor(cachedMs, async () => [
    // While Postgres is down, the metric of servers reports it.
    ...(await credentials().catch(() => [])),
    ...railSecrets(),
    ...(await certificates()),
  ]);
  metrics.gauge({
    name: 'ends_in_seconds',
    help: 'Until the end of what ends by itself: the next credential to expire, a secret of a rail’s, a certificate; below 0 after it',
    labels: ['what', 'of'],
    collectAll: ends,
  });
}
