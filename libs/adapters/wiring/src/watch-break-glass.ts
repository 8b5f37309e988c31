import { msFromInstant } from '#domain/kernel';
import { type BreakGlass } from '#domain/people';
import { type Metrics } from '#infra/runtime';

/**
 * Shows an announced admin, read from the log at each scrape of the metrics (PEO-58). The API shows it too, because a
 * worker that was stopped for the whole wait shows nothing.
 * @param waiting returns the open announcement
 */
export function watchBreakGlass(
  waiting: () => Promise<BreakGlass | undefined>,
  metrics: Metrics,
): void {
  metrics.gauge({
    name: 'break_glass_takes_effect_at_seconds',
    help: 'When an announced admin becomes one at the earliest, in seconds of the epoch; 0: none is announced',
    collect: () =>
      waiting().then(
        (open) => (open ? msFromInstant(open.takesEffectAt) / 1000 : 0),
        () => NaN,
      ),
  });
}
