import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { packageDirectory } from '#infra/runtime';
import {
  type Child,
  eventually,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { viewSchema } from '#views/view-set';
import { Balancer, isReady } from '../servers/balancer.js';
import { mountSmallDisk, type SmallDisk } from '../servers/small-disk.js';

let servers: OwnServers;
let service: Service;
let nextRelease: string;
let disk: SmallDisk | undefined;
beforeAll(async () => {
  servers = await startOwnServers();
  // Longer than the balancer takes to notice, on a busy machine, too.
  service = await startService({ ...servers.env, DRAIN_DELAY: '4s' });
  nextRelease = await releaseOfNextShape();
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await disk?.end();
  await rm(nextRelease, { recursive: true, force: true });
});

const shape = Number(viewSchema().slice('views_'.length));

/** The release under test, with the next shape of its views. */
async function releaseOfNextShape(): Promise<string> {
  const [own, home] = [packageDirectory(), await mkdtemp(join(tmpdir(), 'pesapost-release-'))];
  const copied = ['dist', 'migrations', 'package.json'];
  for (const name of copied) await cp(join(own, name), join(home, name), { recursive: true });
  for (const name of ['node_modules', 'docs', 'openapi.json', 'libs'])
    await symlink(join(own, name), join(home, name));
  await raiseShape(join(home, 'dist', 'apps'));
  const tables = (number: number) => `${String(number).padStart(4, '0')}.sql`;
  const views = join(home, 'migrations', 'views');
  await cp(join(views, tables(shape)), join(views, tables(shape + 1)));
  return home;
}

/** Raises the number in each file of the apps that contains it: programs that are bundled apart have one each. */
async function raiseShape(apps: string): Promise<void> {
  let raised = 0;
  for (const entry of await readdir(apps, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    const next = text.replace(`var viewShape = ${shape};`, `var viewShape = ${shape + 1};`);
    if (next === text) continue;
    await writeFile(file, next);
    raised += 1;
  }
  expect(raised).toBeGreaterThan(0);
}

async function run(...words: readonly string[]) {
  const command = service.spawnCommand(words);
  return { code: await command.ended, lines: command.lines };
}

it('a replay, a killed one, and a rollback: no request fails, and no answer goes back', async () => {
  for (let index = 0; index < 100; index += 1)
    await service.merchant.collect({ reference: `before-${index}` });
  const balancer = new Balancer(service.merchant);
  balancer.add(service.child('api'));
  await balancer.during(async () => {
    await sleep(500);
    const killed = service.spawnCommand(['replay']);
    await sleep(2500);
    killed.signal('SIGKILL');
    await killed.ended;
    const both = await Promise.all([
      run('replay', '--json'),
      sleep(1000).then(() => run('replay', '--json')),
    ]);
    // One of them takes the lease once the killed one's has expired. The other may wait for as long, or come after it.
    expect(both.map(({ code }) => code)).toContain(0);
    for (const { code, lines } of both)
      if (code !== 0) expect(lines.join()).toContain('another replay of');
      else expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ differences: 0, swapped: true });
    expect((await run('replay', 'rollback')).code).toBe(0);
  });
  expect(balancer.failed).toEqual([]);
  expect(balancer.answered).toBeGreaterThan(100);
  expect((await run('verify')).code).toBe(0);
});

it('a replay on a full disk reports it and changes nothing; with more room it continues', async () => {
  const database = new pg.Client({ connectionString: servers.env.DATABASE_URL });
  await database.connect();
  try {
    const { rows } = await database.query<{ bytes: string }>(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
       where relkind = 'r' and relnamespace = $1::regnamespace`,
      [viewSchema()],
    );
    // Enough for the tables, but not for their rows.
    const bytes = Math.floor(Number(rows[0]?.bytes) * 0.8);
    disk = await mountSmallDisk(servers.pid('postgres'), bytes);
    await database.query(`create tablespace small location '${disk.path}'`);
    await database.query(`alter role current_user set default_tablespace = 'small'`);
    const list = async () =>
      (await service.merchant.get('/api/v4/transactions?limit=100')).body['data'];
    const listed = await list();
    const full = await run('replay');
    expect(full.code).toBe(1);
    expect(full.lines.join(' ')).toContain(
      'the disk of Postgres is full: make room, then replay again',
    );
    expect(await list()).toEqual(listed);
    await disk.grow();
    expect((await run('replay')).code).toBe(0);
    expect(await list()).toEqual(listed);
    expect((await run('verify')).code).toBe(0);
  } finally {
    await database.query(`alter role current_user reset default_tablespace`);
    await database.end();
  }
});

it('a rolling release with another shape of views: both sides by side, and no request fails', async () => {
  const balancer = new Balancer(service.merchant);
  const old = balancer.add(service.child('api'));
  await balancer.during(async () => {
    const api = await service.spawnReplica('api', {}, nextRelease).up;
    const next = balancer.add(api);
    const worker = await service.spawnReplica('worker', {}, nextRelease).up;
    const urlOf = ({ ports }: Child) => `http://127.0.0.1:${String(ports.adminPort)}/health/ready`;
    for (const child of [api, worker]) {
      const unready = (await (await fetch(urlOf(child))).json()) as { dependencies: object };
      expect(unready.dependencies).toMatchObject({ views: { status: 'error' } });
    }
    // Requests that need only Postgres are accepted all the same.
    expect((await fetch(`${urlOf(api)}/rails`)).status).toBe(200);
    await sleep(500);
    expect(next.isReady).toBe(false);
    const projector = await service.spawnReplica('projector', {}, nextRelease).up;
    await eventually(() => Promise.resolve(next.isReady), Boolean, { withinMs: 60_000 });
    for (const child of [worker, projector])
      await eventually(() => isReady(child), Boolean, { withinMs: 90_000 });
    expect(old.isReady).toBe(true);
    await sleep(1500);
    old.child.signal('SIGTERM');
    for (const app of ['worker', 'projector'] as const) service.child(app).signal('SIGTERM');
    await old.child.ended;
    await sleep(1500);
  });
  expect(balancer.failed).toEqual([]);
  expect(balancer.created).toBeGreaterThan(20);
});
