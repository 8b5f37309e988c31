import { type Installation, type PartStanding, type PlatformTodo } from '#desk/operators';
import { quoted } from './commands.js';

const status = 'npx pesapost status';
const unsettled = 'npx pesapost payout list --status pending';

const commands = {
  clock_apart: 'timedatectl status',
  views_being_built: status,
  views_quarantined: 'npx pesapost projection quarantine list',
  views_behind: status,
  callbacks_unopened: 'npx pesapost keys status',
  callbacks_unposted: 'npx pesapost review list',
  callbacks_wait: 'npx pesapost review list',
  collections_wait: 'npx pesapost pending list',
  payouts_unsent: unsettled,
  float_missing: unsettled,
  payouts_old: unsettled,
  webhooks_overdue: 'npx pesapost webhook deliveries',
  reviews_open: 'npx pesapost review list',
  payouts_paused: 'npx pesapost payout resume --help',
  keys_end: 'npx pesapost credential expiry set --help',
  seal_late: 'npx pesapost audit seal',
  audit_failed: 'npx pesapost audit check',
  admin_announced: 'npx pesapost role list',
  drill_never: 'npx pesapost drill',
  drill_failed: 'npx pesapost drill',
  drill_old: 'npx pesapost drill',
} as const satisfies Partial<Record<PlatformTodo, string>>;

function isFixed(todo: PlatformTodo): todo is keyof typeof commands {
  return todo in commands;
}

/** Returns the command for the next step of a part; undefined if no step is due. */
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
    case 'loops_stalled':
      return processCommand(part, at);
  }
}

/** `npm start` restarts its servers by itself; if it cannot, their logs say why. */
function logOf(server: string, { embedded, dataDir }: Installation): string | undefined {
  if (!embedded.includes(server)) return undefined;
  return tail(dataDir, server === 'eventstore' ? 'embedded-eventstore' : server);
}

function tail(dataDir: string, process: string): string {
  return `tail -n 20 ${quoted(`${dataDir}/logs/${process}.log`)}`;
}

function processCommand(part: PartStanding, { embedded, dataDir }: Installation): string {
  if (part.what !== 'processes' || !('facts' in part)) return status;
  const { missing, silent, stalled } = part.facts;
  const app = missing[0]?.app ?? silent[0]?.app ?? stalled[0]?.app ?? 'worker';
  // It has no log of its own, and holds DATA_DIR until it ends.
  if (app === 'launcher') return `kill -9 ${missing[0]?.last?.pid ?? ''}; npm start`;
  if (embedded.length > 0) return tail(dataDir, app);
  if (missing.length === 0 && silent[0]) return `kill -9 ${silent[0].pid}`;
  if (missing.length === 0 && stalled[0]) return `docker compose logs --tail 50 ${app}`;
  return `docker compose up -d ${app}`;
}
