import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Child,
  eventually,
  freePort,
  type OwnServers,
  type ServerName,
  type Service,
  startOwnServers,
  startService,
  typed,
} from '#testing';
import { metricsIn } from '../servers/observed-metrics.js';
import { requirePrometheus } from '../servers/promtool.js';

interface Line {
  readonly what: string;
  readonly state: string;
  readonly tells: string;
  readonly todo: string | null;
  readonly command: string | null;
}

let servers: OwnServers;
let service: Service;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService(servers.env);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

async function status(): Promise<{ readonly code: number; readonly lines: readonly Line[] }> {
  const { code, stdout } = await typed(service.env, 'status', '--json');
  return { code, lines: (JSON.parse(stdout) as { lines: Line[] }).lines };
}

/** Repeats until the condition is true: how soon depends on the machine. */
async function statusWhen(is: (of: (what: string) => Line) => boolean): ReturnType<typeof status> {
  const of = (lines: readonly Line[]) => (what: string) => {
    const line = lines.find((each) => each.what === what);
    if (!line) throw new Error(`status does not tell of ${what}`);
    return line;
  };
  return eventually(status, ({ lines }) => is(of(lines)), { withinMs: 120_000, everyMs: 500 });
}

async function advisories(): Promise<Readonly<Record<string, { error?: string }>>> {
  const port = service.child('api').ports.adminPort ?? 0;
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
  // Payments continue without a worker, so a balancer must not remove the API.
  expect(response.status).toBe(200);
  return ((await response.json()) as { advisories: Record<string, { error?: string }> }).advisories;
}

describe.each(['worker', 'projector'] as const)('a %s', (app) => {
  it('is named by status and readiness while it is frozen, and no longer once it continues', async () => {
    service.child(app).signal('SIGSTOP');
    try {
      const { code, lines } = await statusWhen((of) => of('processes').state === 'down');
      expect(code).toBe(1);
      const line = lines.find(({ what }) => what === 'processes');
      expect(line?.tells).toMatch(
        new RegExp(`^no ${app} runs: it was last seen \\d+ s ago, as pid`),
      );
      expect(line?.command).toBe(`docker compose up -d ${app}`);
      const named = await eventually(advisories, (all) => all['processes']?.error !== undefined, {
        withinMs: 60_000,
        everyMs: 500,
      });
      expect(named['processes']?.error).toContain(`no ${app} runs`);
    } finally {
      service.child(app).signal('SIGCONT');
    }
    const well = await statusWhen((of) => of('processes').state === 'ok');
    expect(well.code).toBe(0);
  }, 400_000);

  it('is named after it was killed, until another one is started', async () => {
    await service.kill(app);
    const { code } = await statusWhen((of) => of('processes').tells.startsWith(`no ${app} runs`));
    expect(code).toBe(1);
    await service.start(app);
    await statusWhen((of) => of('processes').state === 'ok');
  }, 400_000);
});

const names = { eventstore: 'event store', postgres: 'postgres', redis: 'redis' } as const;
const commands = { eventstore: 'curl ', postgres: 'pg_isready ', redis: 'redis-cli ' } as const;

describe.each(Object.keys(names) as ServerName[])('status while %s is frozen', (server) => {
  it('names it with one sentence and one command, and reports everything else', async () => {
    await servers.freeze(server);
    try {
      const { code, lines } = await statusWhen((of) => of(names[server]).state === 'down');
      expect(code).toBe(1);
      const down = lines.filter(({ state }) => state === 'down');
      expect(down.map(({ what }) => what)).toEqual([names[server]]);
      expect(down[0]?.todo).toMatch(/ does not answer\. [^.]+\.$/);
      expect(down[0]?.command).toContain(commands[server]);
      const unknown = lines.filter(({ state }) => state === 'unknown');
      for (const { tells } of unknown) expect(tells).toBe(`${names[server]} does not answer`);
      expect(unknown.length > 0).toBe(server !== 'redis');
    } finally {
      await servers.thaw(server);
    }
    await statusWhen((of) => of(names[server]).state === 'ok' && of('processes').state === 'ok');
  }, 400_000);
});

describe('the metrics of the running processes', () => {
  it('contain everything that a rule or a dashboard uses', async () => {
    const texts = await Promise.all(
      (['api', 'projector', 'worker'] as const).map(async (app) => {
        const port = service.child(app).ports.adminPort ?? 0;
        return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      }),
    );
    const exposed = new Set(
      [...texts.join('\n').matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name),
    );
    const files = await Array.fromAsync(glob('deploy/observability/**/*.{yml,json}'));
    const asked = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).flatMap(
      metricsIn,
    );
    expect(new Set(asked).size).toBeGreaterThan(60);
    // The launcher has it, and this service runs without one.
    const launchers = 'pesapost_child_restarts_total';
    expect(asked.filter((name) => !exposed.has(name) && name !== launchers)).toEqual([]);
  }, 120_000);
});

describe('alerts, as Prometheus itself evaluates them over the running service', () => {
  let directory: string;
  let prometheus: ChildProcess;
  let url: string;
  let old: Child;
  /** With this clock, a wait of an hour looks like a wait of days. */
  const later = { CLOCK_OFFSET: '120h', PORT: '0' };

  beforeAll(async () => {
    await requirePrometheus();
    directory = await mkdtemp(join(tmpdir(), 'pesapost-prometheus-'));
    // The rules as published, without the wait before a true rule fires.
    const rules = await readFile('deploy/observability/alerts.yml', 'utf8');
    await writeFile(join(directory, 'alerts.yml'), rules.replaceAll(/for: \w+/g, 'for: 0s'));
    old = await service.startReplica('api', later);
    const ports = [service.child('api'), old].map(({ ports: { adminPort } }) => adminPort ?? 0);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const targets = ports.map((adminPort) => `127.0.0.1:${adminPort}`);
    await writeFile(
      join(directory, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
        rule_files: ['alerts.yml'],
        // Only the API is scraped: the alerts know only what it reports.
        scrape_configs: [{ job_name: 'pesapost', static_configs: [{ targets }] }],
      }),
    );
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${join(directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
  }, 700_000);
  afterAll(async () => {
    const ended = new Promise((resolve) => prometheus.once('exit', resolve));
    prometheus.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });

  async function firing(): Promise<readonly string[]> {
    const response = await fetch(`${url}/api/v1/alerts`);
    const { data } = (await response.json()) as {
      data: { alerts: { state: string; labels: Record<string, string> }[] };
    };
    return data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels: { alertname = '', app = '', server = '' } }) =>
        [alertname, app || server].filter((part) => part !== '').join(' '),
      );
  }

  /** Waits until all of them fire together: each group of rules is evaluated at its own moment. */
  const fires = (...alerts: readonly string[]) =>
    eventually(
      () => firing().catch((): readonly string[] => []),
      (all) => alerts.every((alert) => all.includes(alert)),
      { withinMs: 600_000, everyMs: 500 },
    );

  it('name overdue work in the log, whichever process is responsible for it', async () => {
    await service.merchant.collect({ reference: 'ALERTS-1' });
    await fires('AuditSealOverdue', 'RestoreDrillDue');
  }, 900_000);

  it('name a frozen worker, a frozen server, and views that are behind', async () => {
    try {
      for (const app of ['worker', 'projector'] as const) {
        service.child(app).signal('SIGSTOP');
        await fires(`ProcessMissing ${app}`);
      }
      await fires('ViewsBehind');
    } finally {
      for (const app of ['worker', 'projector'] as const) service.child(app).signal('SIGCONT');
    }
    await servers.freeze('redis');
    try {
      await fires('ServerDown redis');
    } finally {
      await servers.thaw('redis');
    }
  }, 1_800_000);

  it('name a failed audit check until one passes', async () => {
    const sql = `insert into records.audit_checks (faults, cause) values (3, 'events: changed')`;
    const client = new pg.Client({ connectionString: servers.env.DATABASE_URL });
    await client.connect();
    await client.query(sql).finally(() => client.end());
    await fires('AuditCheckFailed');
    const failed = await statusWhen((of) => of('audit check').state === 'attention');
    expect(failed.code).toBe(1);
    expect((await typed(service.env, 'audit', 'check')).code).toBe(0);
    await statusWhen((of) => of('audit check').state === 'ok');
  }, 900_000);

  it('name an API that is gone', async () => {
    old.signal('SIGKILL');
    await service.kill('api');
    await fires('ApiMissing');
  }, 900_000);
});
