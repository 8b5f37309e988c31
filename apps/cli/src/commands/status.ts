import {
  type Installation,
  installationOf,
  isFault,
  type PartStanding,
  PlatformSources,
  platformStanding,
  type ProcessesStanding,
  processFaults,
  SearchSources,
} from '#desk/operators';
import { commandFor, todos } from '#desk/words';
import { type UnpostedReports } from '#records/rails';
import { RedisStore } from '#infra/redis';
import { createLogger, type Settings } from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../app.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { serversOf } from '../servers.js';
import { settingsOrRefused } from '../settings.js';
import { table } from '../table.js';
import { plainCommand } from './plain-command.js';

/** One line of the screen. `state` is what a script compares; `todo` and `command` are absent if all is well. */
export interface StatusLine {
  readonly what: string;
  readonly state: PartStanding['state'];
  readonly tells: string;
  readonly todo?: string;
  readonly command?: string;
}

export const status = plainCommand(
  'status',
  'shows the state of every part, what waits, and what to do; exit code 0 if all is well, 1 if something is wrong',
  'status',
).action(async ({ json }: { readonly json?: true }) => {
  const settings = settingsOrRefused();
  const servers = await serversOf(settings);
  const at = installationOf(settings, servers.eventstoreUrl);
  const lines = await withApp((app) =>
    withRedis(servers.redisUrl, (redis) => statusLines(app, { settings, at, redis })),
  );
  const wrong = lines.filter(isFault);
  if (json)
    printJson({
      ok: wrong.length === 0,
      lines: lines.map((line) => ({
        ...line,
        todo: line.todo ?? null,
        command: line.command ?? null,
      })),
    });
  else printLines(textOf(lines));
  if (wrong.length > 0)
    throw new Refused([`something is wrong: ${wrong.map(({ what }) => what).join(', ')}`]);
});

async function statusLines(
  app: INestApplicationContext,
  given: {
    readonly settings: Settings;
    readonly at: Installation;
    readonly redis: (() => Promise<void>) | undefined;
  },
): Promise<readonly StatusLine[]> {
  const sources = new PlatformSources(app.get(SearchSources), {
    maxAgeMs: given.settings.readModelMaxAgeMs,
    reviewAfterMs: given.settings.railReviewAfterMs,
    redis: given.redis,
    installation: given.at,
  });
  const parts = await platformStanding(sources);
  return parts.map((part) => {
    const { what, state, todo } = part;
    const command = commandFor(part, given.at);
    return {
      what,
      state,
      tells: tellsOf(part),
      ...(todo === undefined ? {} : { todo: todos[todo] }),
      ...(command === undefined ? {} : { command }),
    };
  });
}

function tellsOf(part: PartStanding): string {
  if (!('facts' in part)) return part.problem;
  switch (part.what) {
    case 'postgres':
    case 'redis':
      return 'answers';
    case 'event store':
      return `answers; the log ends at ${part.facts.head}`;
    case 'processes':
      return processesText(part.facts);
    case 'audit check':
      return auditCheckText(part.facts);
    case 'views': {
      const { position, ageSeconds, quarantined } = part.facts;
      if (ageSeconds === null) return `at ${position}, being built`;
      const tells = `at ${position}, up to date with the log ${duration(ageSeconds)} ago`;
      return quarantined > 0
        ? `${tells}; ${quarantined} parts of merchants are quarantined`
        : tells;
    }
    case 'callbacks': {
      const { entries, oldestSeconds, unopened, unposted } = part.facts;
      const tells = `${entries} wait in the inbox, the oldest for ${duration(oldestSeconds)}; ${unopened} under a key that no worker has`;
      return `${tells}; ${unpostedText(unposted)}`;
    }
    case 'rail': {
      const { collections, unanswered, oldestSeconds } = part.facts;
      return `${collections} collections wait, ${unanswered} of them for a push that was not answered, the oldest for ${duration(oldestSeconds)}`;
    }
    case 'payouts': {
      const { forRail, oldestSeconds, forFloat, unsentSeconds } = part.facts;
      return `${forRail} wait for the rail’s result, the oldest for ${duration(oldestSeconds)}; ${forFloat} wait for float; approved but not sent for ${duration(unsentSeconds)}`;
    }
    case 'webhooks': {
      const { waiting, oldestSeconds, overdueSeconds } = part.facts;
      return `${waiting} wait, the oldest for ${duration(oldestSeconds)}; due but not sent for ${duration(overdueSeconds)}`;
    }
    case 'reviews':
      return `${part.facts.open}${part.facts.more ? ' and more' : ''} open`;
    case 'pauses': {
      const { open } = part.facts;
      if (open.length === 0) return 'payouts are not paused';
      return open
        .map(({ merchantId, mode, since, payouts }) => {
          const whose = merchantId === undefined ? 'all merchants' : `merchant ${merchantId}`;
          return `payouts of ${whose} in ${mode} mode since ${since}, ${payouts} wait`;
        })
        .join('; ');
    }
    case 'keys':
      return endingText(part.facts);
    case 'audit': {
      const { sealed, overdue } = part.facts;
      const tells = sealed
        ? `sealed up to ${sealed.date}: ${sealed.treeSize} postings`
        : 'no day is sealed yet';
      return overdue
        ? `${tells}; the seal of ${overdue.date} is due since ${overdue.since}`
        : tells;
    }
    case 'admins':
      return announcedText(part.facts);
    case 'drill':
      return drillText(part.facts);
  }
}

/** The facts of a part that could be read. */
type Facts<What extends PartStanding['what']> = Extract<
  PartStanding,
  { what: What; facts: unknown }
>['facts'];

function auditCheckText({ last }: Facts<'audit check'>): string {
  if (!last) return 'no check was made yet';
  const at = last.at.toISOString();
  return last.faults === 0
    ? `passed at ${at}`
    : `FAILED at ${at} with ${last.faults} faults: ${last.cause}`;
}

function announcedText({ takesEffectAt }: Facts<'admins'>): string {
  return takesEffectAt === undefined
    ? 'no new admin is announced'
    : `a new admin is announced, who becomes one at ${takesEffectAt} at the earliest`;
}

function drillText({ last }: Facts<'drill'>): string {
  if (!last) return 'no restore drill was made yet';
  const what = last.copy === 'made' ? 'a copy of its own' : 'a restored backup';
  const came = last.outcome === 'held' ? 'passed' : `FAILED in ${last.faults} points`;
  return `the last one, of ${last.at}, ${came}; ${what}, ${duration(last.ageSeconds)} old, ${last.newer} rows behind`;
}

/** Reports of other senders raise no alarm: anyone can send one. */
function unpostedText(unposted: UnpostedReports | undefined): string {
  if (!unposted) return 'payments that only the rail reports are not known yet';
  const { ofRail, ofOthers } = unposted;
  const text = `${ofRail} payments that only the rail reports`;
  return ofOthers === 0 ? text : `${text}, ${ofOthers} that only other senders report`;
}

/** Names the processes that need something done, or else the running ones. */
function processesText(standing: ProcessesStanding): string {
  const wrong = processFaults(standing);
  if (wrong.length > 0) return wrong.join('; ');
  const running = standing.processes.filter(({ state }) => state === 'runs').map(({ app }) => app);
  const counts = [...new Set(running)].map((app) => {
    const count = running.filter((other) => other === app).length;
    return count === 1 ? app : `${app} (${count})`;
  });
  return counts.join(', ');
}

/** Time for a command to connect: just after its start, on a busy machine, it is slower than a running service. */
const redisMs = 2500;

/** @param url undefined if REDIS_URL is not set on this machine; then the status does not mention Redis */
async function withRedis<T>(
  url: string | undefined,
  work: (ping: (() => Promise<void>) | undefined) => Promise<T>,
): Promise<T> {
  if (url === undefined) return work(undefined);
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const opening = RedisStore.open({ url, logger, app: 'cli', commandTimeoutMs: redisMs });
  try {
    return await work(async () => (await opening).ping());
  } finally {
    await opening.then(
      (store) => store.close(),
      () => undefined,
    );
  }
}

function textOf(lines: readonly StatusLine[]): readonly string[] {
  const todo = lines.flatMap((line) =>
    line.todo === undefined
      ? []
      : [`${line.what}: ${line.todo}`, ...(line.command ? [`  ${line.command}`] : [])],
  );
  return [
    ...table(
      ['what', 'state', 'tells'],
      lines.map(({ what, state, tells }) => [what, state, tells]),
    ),
    '',
    ...(todo.length === 0 ? ['nothing to do'] : ['to do:', ...todo.map((line) => `  ${line}`)]),
  ];
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function endingText({
  ending,
  more,
}: Extract<PartStanding, { what: 'keys'; facts: unknown }>['facts']): string {
  if (ending.length === 0) return 'no credential ends within 7 days';
  const each = ending.map(({ credentialId, kind, mode, holder, merchantId, ...end }) => {
    const verb = end.secondsLeft > 0 ? 'ends' : 'ended';
    const place = `${kind}${mode === null ? '' : `, ${mode}`}`;
    return `${credentialId} (${place}) of ${holder} at merchant ${merchantId} ${verb} at ${end.expiresAt.toISOString()}`;
  });
  return `${each.join('; ')}${more ? '; and more' : ''}`;
}
