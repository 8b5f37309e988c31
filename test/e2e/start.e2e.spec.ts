import { afterAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { MerchantClient } from '#testing';
import { type Demo, eventually, isAlive, LauncherRun, temporaryDataDir } from './launcher.js';
import { confirmCode, signIn } from './visitor.js';

/** Each start may take minutes if others use both cores. */
const minuteMs = 60_000;
/** The documented 5 s and the scheduling delay of a busy machine. */
const orphanDeadlineMs = 60_000;

/** The fields of a webhook that the demo's receiver shows. */
interface Received {
  readonly verified: boolean;
  readonly problem: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One data directory through all events of its life: each test continues where the previous one stopped. */
describe('npm start', () => {
  const directory = temporaryDataDir();
  const runs: LauncherRun[] = [];
  let demo: Demo;

  const start = (dataDir = directory.path, env: Record<string, string> = {}): LauncherRun => {
    const run = new LauncherRun(dataDir, env);
    runs.push(run);
    return run;
  };
  const current = (): LauncherRun => {
    const run = runs.findLast(({ dataDir }) => dataDir === directory.path);
    if (!run) throw new Error('nothing was started');
    return run;
  };
  const balanceLine = (run: LauncherRun): string | undefined =>
    run.lines.find((line) => line.trim().startsWith('balance'));
  const referenceOf = (run: LauncherRun): string | undefined =>
    /demo-[0-9a-f]{12}/.exec(run.lines.join('\n'))?.[0];
  const received = async ({ webhook_receiver_url: url }: Demo): Promise<readonly Received[]> => {
    const answer = await fetch(`${url}/_received`);
    return ((await answer.json()) as { received: Received[] }).received;
  };
  const isReady = async (): Promise<boolean> =>
    fetch(`${current().demo.admin_url}/health/ready`).then(
      (response) => response.ok,
      () => false,
    );

  afterAll(async () => {
    const pids = [current().pid, ...current().childPids().values()].filter(isAlive);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await eventually(() => pids.every((pid) => !isAlive(pid)), 5000);
    directory.remove();
  }, 2 * minuteMs);

  it(
    'brings a signed collection to a posted balance on an empty directory, then prints ready',
    async () => {
      const run = start();
      const ready = await run.ready();
      ({ demo } = run);
      expect(ready).toBe(`ready ${demo.base_url}`);
      expect(run.lines.at(-1)).toBe(ready);
      expect(balanceLine(run)).toContain('posted KES 246.25');
      const told = `webhook    1 collection.completed ${referenceOf(run)}, KES 250.00, verified`;
      expect(await eventually(() => run.lines.includes(told), minuteMs)).toBe(true);
      expect(run.complaints).toEqual([]);
    },
    6 * minuteMs,
  );

  it('stores credentials and addresses for the owner only, with the keys of the contract', () => {
    for (const name of ['demo.json', 'run.json', 'master.key', 'identity-provider.json'])
      expect([name, statSync(join(directory.path, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(Object.keys(demo).sort()).toEqual(
      [
        ...['admin_url', 'airtel_simulator_url', 'base_url', 'merchant_id', 'simulator_url'],
        'timezone',
        ...['portal', 'v3', 'v4', 'v4_checker', 'webhook_receiver_url'],
      ].sort(),
    );
    expect(Object.keys(demo.v4).sort()).toEqual([
      'account_no',
      'checkout_key_id',
      'checkout_secret',
      'client_id',
      'client_secret',
      'currency',
      'private_key_pem',
      'webhook_secret',
    ]);
    expect(Object.keys(demo.v3).sort()).toEqual([
      'account_no',
      'checkout_secret',
      'consumer_key',
      'private_key_pem',
      'vid',
    ]);
  });

  it('names people of each role, two of those who decide about money, and admits only them', async () => {
    const { url, people } = demo.portal;
    const { port } = new URL(demo.base_url);
    expect(url).toBe(`http://localhost:${port}/portal`);
    const roles = people.map(
      ({ role, merchant_id: at }) => `${at === undefined ? '' : 'shop '}${role}`,
    );
    expect(roles.sort()).toEqual([
      ...['admin', 'admin', 'auditor', 'finance', 'finance'],
      ...['shop developer', 'shop finance', 'shop finance', 'shop owner', 'support', 'viewer'],
    ]);
    const [viewer] = people.filter(({ role }) => role === 'viewer');
    const { login = '', password = '' } = viewer ?? {};
    const refused = await signIn(url, { login, password: 'guessed' });
    expect([refused.status, new URL(refused.url).port]).not.toContain(port);
    const { status, url: led } = await signIn(url, { login, password });
    expect([status, new URL(led).port]).toEqual([200, port]);
  });

  it('runs its command line as the machine’s owner, never under a typed name, until a person signs in', async () => {
    const main = join(process.cwd(), 'dist/apps/cli/src/main.js');
    const { EVENTSTORE_URL: _store, DATABASE_URL: _database, ...outside } = process.env;
    const env = { ...outside, DATA_DIR: directory.path, XDG_CONFIG_HOME: directory.path };
    const pesapost = (...words: string[]): ChildProcess =>
      spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const told = async (child: ChildProcess): Promise<string> => {
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (more: Buffer) => (text += more.toString()));
      const [code] = (await once(child, 'close')) as [number];
      return `${code}: ${text}`;
    };
    const { merchant_id: merchant, portal } = demo;
    const id = randomUUID();
    const post = [
      ...['correction', 'post', '--merchant', merchant, '--mode', 'demo', '--currency', 'KES'],
      ...['--leg', 'suspense=-100', '--leg', 'fees=100', '--id', id, '--reason', 'a fee'],
    ];
    expect(await told(pesapost(...post, '--as', 'asha'))).toMatch(/^1: --as: people have roles/);
    const posted = await told(pesapost(...post));
    expect(posted).toMatch(/^0: /);
    const confirm = ['correction', 'confirm', id, '--mode', 'demo'];
    expect(await told(pesapost(...confirm))).toMatch(/^1: .*cannot confirm it/s);

    const [finance] = portal.people.filter(({ login }) => login === 'finance');
    const login = pesapost('login', '--fresh', '--device');
    const [line] = (await once(login.stderr ?? login, 'data')) as [Buffer];
    const signedIn = told(login);
    const { login: name = '', password = '' } = finance ?? {};
    expect((await confirmCode(line.toString(), { login: name, password })).text).toContain(
      'Go back to the command line',
    );
    expect(await signedIn).toContain('Wanjiru Kamau is signed in until');
    expect(await told(pesapost(...confirm))).toMatch(/^0: /);
    expect(await told(pesapost('logout'))).toMatch(/^0: /);
    const owner = `#machine:${userInfo().username}`;
    expect(await told(pesapost('whoami'))).toContain(owner);
    const shown = await told(pesapost('correction', 'show', id, '--mode', 'demo'));
    expect(shown).toContain(owner);
    expect(shown).not.toMatch(/asha|joseph/);
  });

  it('shows the webhook that its receiver verified, in a form that anyone can verify', async () => {
    const [first] = await received(demo);
    expect(first).toMatchObject({ verified: true, problem: null });
    const { headers = {}, body = '' } = first ?? {};
    const signed = `${headers['pesapost-event-id']}.${headers['pesapost-timestamp']}.${body}`;
    const hmac = createHmac('sha256', demo.v4['webhook_secret'] ?? '').update(signed);
    expect(headers['pesapost-signature']).toBe(`v4=${hmac.digest('hex')}`);
    expect(JSON.parse(body)).toMatchObject({
      type: 'collection.completed',
      sequence: 1,
      data: { reference: referenceOf(current()), amount_minor: 25_000 },
    });
  });

  it('merges health and metrics of all processes under its own admin port', async () => {
    const health = await fetch(`${demo.admin_url}/health/ready`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: 'ok',
      dependencies: {
        postgres: { status: 'ok' },
        redis: { status: 'ok' },
        eventstore: { status: 'ok' },
      },
    });
    const metrics = await (await fetch(`${demo.admin_url}/metrics`)).text();
    for (const process of ['launcher', 'api', 'projector', 'worker'])
      expect(metrics).toContain(`nodejs_version_info{process="${process}",`);
  });

  it('continues over HTTP: the ready-made script sends the next collection', () => {
    const credentials = join(directory.path, 'demo.json');
    const script = ['scripts/collect.mjs', '254712345679', '10000', '--credentials', credentials];
    const sent = spawnSync(process.execPath, script, { encoding: 'utf8', timeout: 90_000 });
    expect(sent.stderr).toBe('');
    expect(sent.stdout).toContain("status: 'completed'");
    expect(sent.stdout).toContain('posted_minor: 34475');
  });

  it(
    'rejects a second start on a running directory in one line, and the first continues',
    async () => {
      const second = start(directory.path, { PORT: '0' });
      expect(await second.exited).toBe(1);
      expect(second.complaints).toHaveLength(1);
      expect(second.complaints[0]).toMatch(
        /^DATA_DIR: .* is in use by another npm start \(pid \d+\)/,
      );
      runs.pop();
      expect(await isReady()).toBe(true);
    },
    5 * minuteMs,
  );

  it(
    'rejects a taken port, an unwritable directory and wrong settings, with one line each',
    async () => {
      const other = temporaryDataDir();
      try {
        const { port } = new URL(demo.base_url);
        const taken = start(other.path, { PORT: port });
        expect(await taken.exited).toBe(1);
        expect(taken.complaints).toEqual([
          expect.stringMatching(new RegExp(`^PORT: port ${port} is taken by another program`)),
        ]);
        expect(taken.childPids().size).toBe(0);

        const unwritable = start('/dev/null/data');
        expect(await unwritable.exited).toBe(1);
        expect(unwritable.complaints).toEqual([
          expect.stringMatching(/^DATA_DIR: .* cannot be written/),
        ]);

        const wrong = start(other.path, { RAIL_PUSH_TIMEOUT: 'soon', LOG_LEVEL: 'loud' });
        expect(await wrong.exited).toBe(1);
        expect(wrong.complaints).toHaveLength(2);
      } finally {
        other.remove();
      }
    },
    5 * minuteMs,
  );

  it(
    'brings its collection to a posted balance by the clock that CLOCK_OFFSET sets',
    async () => {
      const other = temporaryDataDir();
      const shifted = new LauncherRun(other.path, { CLOCK_OFFSET: '30d' });
      try {
        await shifted.ready();
        expect(balanceLine(shifted)).toContain('posted KES 246.25');
        expect(shifted.complaints).toEqual([]);
      } finally {
        shifted.signal('SIGTERM');
        await shifted.exited;
        other.remove();
      }
    },
    6 * minuteMs,
  );

  it('rejects a Node that is too old before it does anything', () => {
    const script = `
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } });
      await import(${JSON.stringify(join(process.cwd(), 'scripts/start.mjs'))});`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect(status).toBe(1);
    expect(stderr.trim()).toMatch(
      /^Node 20\.18\.3 is too old: install Node 20\.19 or later[^\n]*$/,
    );
  });

  it(
    'restarts each process that died and reports it in one line',
    async () => {
      const run = current();
      const before = run.childPids();
      for (const app of [
        'worker',
        'projector',
        'api',
        'embedded-eventstore',
        'identity-provider',
        'airtel-simulator',
        'redis',
        'postgres',
      ]) {
        const pid = before.get(app);
        // A real event store from outside must not be killed.
        if (pid === undefined) continue;
        const said = run.lines.length;
        process.kill(pid, 'SIGKILL');
        const name = ['redis', 'postgres'].includes(app) ? app : `pesapost-${app}`;
        const isBack = () => {
          const now = run.childPids().get(app);
          return now !== undefined && now !== pid && isReady();
        };
        expect(await eventually(isBack, minuteMs)).toBe(true);
        const lines = run.lines.slice(said).filter((line) => line.includes(' ended ('));
        expect(lines).toEqual([
          expect.stringContaining(`${name} ended (SIGKILL) and is started again`),
        ]);
      }
      // Not at once: a projector that lost both servers within seconds is not ready until it was quiet for a while.
      expect(await eventually(isReady, minuteMs)).toBe(true);
    },
    8 * minuteMs,
  );

  it(
    'leaves no child behind if only the launcher is killed, and starts again on the same data',
    async () => {
      const killed = current();
      const children = killed.childPids();
      killed.signal('SIGKILL');
      await killed.exited;
      const ours = [...children].filter(([name]) => !['postgres', 'redis'].includes(name));
      const gone = await eventually(() => ours.every(([, pid]) => !isAlive(pid)), orphanDeadlineMs);
      expect(gone).toBe(true);

      const next = start();
      await next.ready();
      for (const name of ['postgres', 'redis'])
        expect(isAlive(children.get(name) ?? 0)).toBe(false);
      expect(next.demo.merchant_id).toBe(demo.merchant_id);
      expect(next.demo.v4).toEqual(demo.v4);
      expect(next.demo.portal.people).toEqual(demo.portal.people);
      const [newest] = (await received(next.demo)).slice(-1);
      expect(newest).toMatchObject({
        verified: true,
        body: expect.stringContaining(`"sequence":3`),
      });
      expect(balanceLine(next)).toContain('posted KES 591.00');
      expect(referenceOf(next)).not.toBe(referenceOf(killed));
    },
    6 * minuteMs,
  );

  it(
    'starts again on the same data after everything was killed at once',
    async () => {
      const killed = current();
      const pids = [killed.pid, ...killed.childPids().values()];
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await killed.exited;
      const next = start();
      await next.ready();
      expect(balanceLine(next)).toContain('posted KES 837.25');
    },
    6 * minuteMs,
  );

  it(
    'collects over Airtel Money, without the wait for an enquiry after a callback, and pays out',
    async () => {
      const credentials = join(directory.path, 'demo.json');
      const options = ['--channel', 'airtel', '--credentials', credentials];
      const script = ['scripts/collect.mjs', '254733123456', '10000', ...options];
      const sent = spawnSync(process.execPath, script, { encoding: 'utf8', timeout: 90_000 });
      expect(sent.stderr).toBe('');
      expect(sent.stdout).toMatch(/status: 'completed'.*receipt: 'MP\d{6}\./s);
      const waitedMs = (output: string): number => {
        const [begun = 0, ended = 0] = ['created_at', 'completed_at'].map((name) =>
          Date.parse(new RegExp(`${name}: '([^']+)'`).exec(output)?.[1] ?? ''),
        );
        return ended - begun;
      };
      // The first enquiry by the schedule is after 75 s.
      expect(waitedMs(sent.stdout)).toBeLessThan(60_000);

      // The push's answer is lost, so only the callback and an enquiry know of the payment (AIR-8).
      const lost = spawnSync(process.execPath, script.with(1, '254733000022'), {
        encoding: 'utf8',
        timeout: 130_000,
      });
      expect(lost.stdout).toMatch(/rail_reference: null.*status: 'completed'/s);
      expect(waitedMs(lost.stdout)).toBeLessThan(60_000);

      const clientOf = ({ client_id = '', client_secret = '', private_key_pem = '' }) =>
        new MerchantClient(current().demo.base_url, {
          merchantId: demo.merchant_id,
          accountNo: demo.v4['account_no'] ?? '',
          clientId: client_id,
          clientSecret: client_secret,
          privateKeyPem: private_key_pem,
        });
      const post = (client: MerchantClient, path: string, body: object) =>
        client.send('POST', path, {
          body: JSON.stringify(body),
          headers: { 'idempotency-key': randomUUID() },
        });
      const payout = {
        account_no: demo.v4['account_no'],
        phone: '254733000101',
        amount_minor: 1_000,
        currency: 'KES',
        channel: 'airtel',
        reference: 'airtel-1',
      };
      expect((await post(clientOf(demo.v4), '/api/v4/payouts', payout)).status).toBe(202);
      const approve = '/api/v4/payouts/airtel-1/approve';
      expect((await post(clientOf(demo.v4_checker), approve, {})).status).toBe(202);
      const { demo: now } = current();
      const paidOut = async () => {
        const stats = await fetch(`${now.airtel_simulator_url}/_stats`);
        return ((await stats.json()) as { paid_out: number }).paid_out === 1;
      };
      expect(await eventually(paidOut, minuteMs)).toBe(true);
    },
    5 * minuteMs,
  );

  it(
    'exits 0 on SIGTERM and leaves no process and no addresses behind',
    async () => {
      const run = current();
      const pids = [run.pid, ...run.childPids().values()];
      run.signal('SIGTERM');
      expect(await run.exited).toBe(0);
      expect(pids.filter(isAlive)).toEqual([]);
      expect(run.childPids().size).toBe(0);
      expect(() => statSync(join(directory.path, 'run.json'))).toThrow();
    },
    5 * minuteMs,
  );

  it(
    'rejects another MASTER_KEY than the data’s, and leaves nothing running',
    async () => {
      const key = `other:${Buffer.alloc(32, 7).toString('base64')}`;
      const run = start(directory.path, { MASTER_KEY: key });
      expect(await run.exited).toBe(1);
      expect(run.complaints).toEqual([expect.stringMatching(/^MASTER_KEY: /)]);
      expect(run.childPids().size).toBe(0);
    },
    5 * minuteMs,
  );

  it(
    'exits 0 on SIGINT in the middle of a start',
    async () => {
      const run = start();
      await eventually(() => run.childPids().has('postgres'), 30_000);
      run.signal('SIGINT');
      expect(await run.exited).toBe(0);
      expect(run.childPids().size).toBe(0);
      expect(run.lines.some((line) => line.startsWith('ready'))).toBe(false);
    },
    5 * minuteMs,
  );
});
