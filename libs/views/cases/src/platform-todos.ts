import { readEventStoreUrl, type Settings } from '#infra/runtime';
import { type PartStanding } from './platform.js';

/** The next step for each fault, in English: a sentence that names it, beside which its command stands. */
export const platformTodos = {
  postgres_down: 'Postgres does not answer: nothing is served until it does.',
  event_store_down: 'The event store does not answer: no payment is taken until it does.',
  redis_down: 'Redis does not answer: no request is let in until it does.',
  process_missing: 'No process of this kind runs: start it, or read why it ended.',
  process_silent: 'This process does not answer while others of its kind do: end it and start it.',
  views_being_built: 'Wait: lists answer 503 until the views are built.',
  views_quarantined: 'An event of a merchant cannot be applied: look which. All others go on.',
  views_behind: 'The projector does not keep up: lists answer 503. See if it runs.',
  callbacks_unopened: 'Give the workers the new master key.',
  callbacks_wait: 'Callbacks wait: see if a worker runs, then decide what is left.',
  reviews_open: 'Decide the open reviews, the oldest first.',
  payouts_paused: 'Payouts are paused: resume them once the reason is gone.',
  seal_late: 'Seal the days that are missing.',
  audit_failed: 'The last audit check failed: find the cause and check again.',
  drill_never: 'Restore the last backup into another database, and try it.',
  drill_failed: 'The last backup would not restore everything: make a new one, and try it.',
  drill_old: 'The last drill is older than 90 days: try the last backup.',
} as const;

export type PlatformTodo = keyof typeof platformTodos;

/** How this installation is run, by which the commands differ. */
export interface Installation {
  readonly dataDir: string;
  /** The servers that `npm start` runs itself: eventstore, postgres, redis. */
  readonly embedded: readonly string[];
  /** Where the event store's own health answers. */
  readonly eventStoreUrl: string;
}

/** As the settings have it. */
export function installationOf(
  { dataDir, embeddedServers: embedded }: Pick<Settings, 'dataDir' | 'embeddedServers'>,
  eventstoreUrl: string,
): Installation {
  const url = readEventStoreUrl(eventstoreUrl);
  if ('problem' in url) return { dataDir, embedded, eventStoreUrl: 'http://localhost:2113' };
  const [host = 'localhost:2113'] = url.hosts;
  return { dataDir, embedded, eventStoreUrl: `${url.usesTls ? 'https' : 'http'}://${host}` };
}

const status = 'npx pesapost status';

const commands = {
  views_being_built: status,
  views_quarantined: 'npx pesapost projection quarantine list',
  views_behind: status,
  callbacks_unopened: 'npx pesapost keys status',
  callbacks_wait: 'npx pesapost review list',
  reviews_open: 'npx pesapost review list',
  payouts_paused: 'npx pesapost payout resume --help',
  seal_late: 'npx pesapost audit seal',
  audit_failed: 'npx pesapost audit check',
  drill_never: 'npx pesapost drill',
  drill_failed: 'npx pesapost drill',
  drill_old: 'npx pesapost drill',
} as const satisfies Partial<Record<PlatformTodo, string>>;

function isFixed(todo: PlatformTodo): todo is keyof typeof commands {
  return todo in commands;
}

/** One command for the next step of a part; undefined if nothing is to be done. */
export function commandFor(part: PartStanding, at: Installation): string | undefined {
  const { todo } = part;
  if (todo === undefined) return undefined;
  if (isFixed(todo)) return commands[todo];
  switch (todo) {
    case 'postgres_down':
      return logOf('postgres', at) ?? 'pg_isready --dbname="$DATABASE_URL"';
    case 'redis_down':
      return logOf('redis', at) ?? 'redis-cli -u "$REDIS_URL" ping';
    case 'event_store_down':
      return logOf('eventstore', at) ?? `curl --insecure --include ${at.eventStoreUrl}/health/live`;
    case 'process_missing':
    case 'process_silent':
      return processCommand(part, at);
  }
}

/** `npm start` starts its servers again by itself; if it cannot, their logs say why. */
function logOf(server: string, { embedded, dataDir }: Installation): string | undefined {
  if (!embedded.includes(server)) return undefined;
  return tail(dataDir, server === 'eventstore' ? 'embedded-eventstore' : server);
}

function tail(dataDir: string, process: string): string {
  return `tail -n 20 ${quoted(`${dataDir}/logs/${process}.log`)}`;
}

function processCommand(part: PartStanding, { embedded, dataDir }: Installation): string {
  if (part.what !== 'processes' || !('facts' in part)) return status;
  const { missing, silent } = part.facts;
  const app = missing[0]?.app ?? silent[0]?.app ?? 'worker';
  if (embedded.length > 0) return tail(dataDir, app);
  if (missing.length === 0 && silent[0]) return `kill -9 ${silent[0].pid}`;
  return `docker compose up -d ${app}`;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
