import { readEventStoreUrl, type Settings } from '#infra/runtime';

/** The next step for a part of the platform that needs one. */
export type PlatformTodo =
  | 'postgres_down'
  | 'event_store_down'
  | 'redis_down'
  | 'process_missing'
  | 'process_silent'
  | 'loops_stalled'
  | 'clock_apart'
  | 'views_being_built'
  | 'views_quarantined'
  | 'views_behind'
  | 'callbacks_unopened'
  | 'callbacks_unposted'
  | 'callbacks_wait'
  | 'collections_wait'
  | 'payouts_unsent'
  | 'float_missing'
  | 'payouts_old'
  | 'webhooks_overdue'
  | 'reviews_open'
  | 'payouts_paused'
  | 'keys_end'
  | 'seal_late'
  | 'audit_failed'
  | 'admin_announced'
  | 'drill_never'
  | 'drill_failed'
  | 'drill_old';

/** The kind of installation, which decides the commands. */
export interface Installation {
  readonly dataDir: string;
  /** The servers that `npm start` runs itself: eventstore, postgres, redis. */
  readonly embedded: readonly string[];
  /** The URL of the event store's own health check. */
  readonly eventStoreUrl: string;
}

/** Reads the installation from the settings. */
export function installationOf(
  { dataDir, embeddedServers: embedded }: Pick<Settings, 'dataDir' | 'embeddedServers'>,
  eventstoreUrl: string,
): Installation {
  const url = readEventStoreUrl(eventstoreUrl);
  if ('problem' in url) return { dataDir, embedded, eventStoreUrl: 'http://localhost:2113' };
  const [host = 'localhost:2113'] = url.hosts;
  return { dataDir, embedded, eventStoreUrl: `${url.usesTls ? 'https' : 'http'}://${host}` };
}
