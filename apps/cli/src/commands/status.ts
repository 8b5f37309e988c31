import {
  CaseRecords,
  type PartStanding,
  PlatformSources,
  platformStanding,
  platformTodos,
  SearchSources,
} from '#views/cases';
import { RedisStore } from '#infra/redis';
import { createLogger } from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../app.js';
import { printJson, printLines } from '../print.js';
import { serversOf } from '../servers.js';
import { settingsOrRefused } from '../settings.js';
import { table } from '../table.js';
import { look } from './look.js';

/** One line of the screen. `state` is what a script compares; `todo` is absent where nothing is to be done. */
export interface StatusLine {
  readonly what: string;
  readonly state: 'ok' | 'attention' | 'down';
  readonly tells: string;
  readonly todo?: string;
}

export const status = look(
  'status',
  'in one screen what is up, behind, waiting and open for review, and what to do; exit code 0 where it could be told',
  'status',
).action(async ({ json }: { readonly json?: true }) => {
  const settings = settingsOrRefused();
  const { redisUrl } = await serversOf(settings);
  const lines = await withApp((app) =>
    withRedis(redisUrl, (redis) => statusLines(app, settings.readModelMaxAgeMs, redis)),
  );
  if (json)
    printJson({
      ok: lines.every(({ state }) => state === 'ok'),
      lines: lines.map((line) => ({ ...line, todo: line.todo ?? null })),
    });
  else printLines(textOf(lines));
});

async function statusLines(
  app: INestApplicationContext,
  maxAgeMs: number,
  redis: (() => Promise<void>) | undefined,
): Promise<readonly StatusLine[]> {
  const [servers, records] = [app.get(SearchSources), app.get(CaseRecords)];
  const sources = new PlatformSources(servers, records, maxAgeMs, redis);
  const parts = await platformStanding(sources);
  return parts.map(({ what, state, todo, ...part }) => ({
    what,
    state,
    tells: tellsOf({ what, state, ...part } as PartStanding),
    ...(todo === undefined ? {} : { todo: platformTodos[todo] }),
  }));
}

function tellsOf(part: PartStanding): string {
  if (part.state === 'down') return part.problem;
  switch (part.what) {
    case 'postgres':
    case 'redis':
      return 'answers';
    case 'event store':
      return `answers; the log ends at ${part.facts.head}`;
    case 'views': {
      const { position, ageSeconds, quarantined } = part.facts;
      if (ageSeconds === null) return `at ${position}, being built`;
      const tells = `at ${position}, level with the log ${duration(ageSeconds)} ago`;
      return quarantined > 0 ? `${tells}; ${quarantined} parts of merchants stand still` : tells;
    }
    case 'callbacks': {
      const { entries, oldestSeconds, unopened } = part.facts;
      return `${entries} wait in the inbox, the oldest for ${duration(oldestSeconds)}; ${unopened} under a key that no worker has`;
    }
    case 'rail': {
      const { collections, unanswered, oldestSeconds } = part.facts;
      return `${collections} collections wait, ${unanswered} of them for a push that was not answered, the oldest for ${duration(oldestSeconds)}`;
    }
    case 'reviews':
      return `${part.facts.open}${part.facts.more ? ' and more' : ''} open`;
    case 'audit': {
      const { sealed } = part.facts;
      return sealed
        ? `sealed up to ${sealed.date}: ${sealed.treeSize} postings`
        : 'no day is sealed yet';
    }
    case 'drill': {
      const { last } = part.facts;
      if (!last) return 'no restore drill was made yet';
      const what = last.copy === 'made' ? 'a copy of its own' : 'a restored backup';
      const came = last.outcome === 'held' ? 'held' : `FAILED in ${last.faults} points`;
      return `the last one, of ${last.at}, ${came}; ${what}, ${duration(last.ageSeconds)} old, ${last.newer} rows behind`;
    }
  }
}

/** @param url undefined where REDIS_URL is not set on this machine: then Redis is not told of */
async function withRedis<T>(
  url: string | undefined,
  work: (ping: (() => Promise<void>) | undefined) => Promise<T>,
): Promise<T> {
  if (url === undefined) return work(undefined);
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const opening = RedisStore.open({ url, logger, app: 'cli' });
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
    line.todo === undefined ? [] : [`${line.what}: ${line.todo}`],
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
