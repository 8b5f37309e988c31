import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import {
  type CommandOutcome,
  eventually,
  freePort,
  openStore,
  type OwnServers,
  patientPool,
  type Service,
  startOwnServers,
  startService,
  typed,
} from '#testing';
import { Browser } from '../../libs/edges/portal/test/browser.js';
import {
  clientId,
  clientSecret,
  type FakeIssuer,
} from '../../libs/edges/portal/test/fake-issuer.js';
import { grantTwoAdmins, signInAt } from './two-admins.js';

type Json = Readonly<Record<string, unknown>>;
const why = ['--reason', 'a laptop was stolen'];

let servers: OwnServers;
let service: Service;
let store: EventStoreDb;
let issuer: FakeIssuer;
let origin: string;
/** The environment of each one's commands. */
const people: Record<string, Readonly<Record<string, string>>> = {};

beforeAll(async () => {
  servers = await startOwnServers();
  store = openStore(servers.env['EVENTSTORE_URL']);
  service = await startService(servers.env);
  const { issuer: own, asha, joseph } = await grantTwoAdmins(service.env);
  [issuer, people['asha'], people['joseph']] = [own, asha, joseph];
  const port = await freePort();
  origin = `http://localhost:${port}`;
  await service.startReplica('api', {
    PORT: String(port),
    PORTAL_URL: origin,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  });
  const admin = ['--person', idOf('wanjiru'), '--name', 'Wanjiru', '--role', 'admin'];
  await done('asha', 'role', 'grant', ...admin, ...why);
  const listed = await done('asha', 'role', 'list');
  const [proposal] = listed['proposals'] as readonly Listed[];
  await done('joseph', 'role', 'confirm', proposal?.id ?? '');
  await signIn('wanjiru');
});
afterAll(async () => {
  await service.stop();
  await store.dispose();
  await issuer.stop();
  await servers.stop();
});

const idOf = (subject: string): string => `${issuer.url}#${subject}`;

async function signIn(subject: string): Promise<void> {
  people[subject] = await signInAt(issuer, subject, service.env);
}

/** A command of somebody who is signed in. */
function by(who: string, ...words: readonly string[]): Promise<CommandOutcome> {
  return typed(people[who] ?? {}, ...words, '--json');
}

/** The same, which is carried out. */
async function done(who: string, ...words: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await by(who, ...words);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Json;
}

/** The same, which is refused. */
async function refused(who: string, words: readonly string[], told: string): Promise<void> {
  const { code, stderr } = await by(who, ...words);
  expect([code, stderr]).toEqual([1, expect.stringContaining(told)]);
}

const typesOf = async (): Promise<readonly string[]> =>
  (await store.readStream('platform-roles')).map(({ type }) => type);

const announced = async (): Promise<unknown> => (await done('asha', 'role', 'list'))['break_glass'];

async function query(statement: string): Promise<void> {
  const logger = createLogger({ app: 'spec', level: 'silent' });
  const database = new Database({
    ...patientPool,
    url: servers.env['DATABASE_URL'],
    app: 'spec',
    logger,
  });
  await database.query(statement).finally(() => database.close());
}

interface Listed {
  readonly id: string;
  readonly kind: string;
}

describe('the sessions of another person', () => {
  it('are listed, and an ended one fails at its next command', async () => {
    const whose = ['--person', idOf('joseph')];
    const list = async () => {
      const { sessions } = await done('asha', 'session', 'list', ...whose);
      return sessions as readonly Listed[];
    };
    const [first] = await list();
    expect(first).toMatchObject({ kind: 'command_line' });
    const end = ['session', 'end', ...whose, '--session', first?.id ?? '', ...why];
    await done('joseph', 'role', 'list');
    await done('asha', ...end);
    await refused('joseph', ['role', 'list'], 'no one is signed in');
    expect(await list()).toEqual([]);

    await signIn('joseph');
    await done('joseph', 'role', 'list');
    await done('asha', 'session', 'end', ...whose, ...why);
    await refused('joseph', ['role', 'list'], 'no one is signed in');
    await signIn('joseph');
    await done('joseph', 'role', 'list');
  });

  it('are in the security log of the worker, with who ended them and who was refused', async () => {
    const lines = await eventually(
      () => Promise.resolve(service.logLines().filter((line) => line.includes('"machine"'))),
      (found) => found.length >= 4,
    );
    expect(lines.map((line) => JSON.parse(line) as Json)).toEqual(
      [
        { event: 'session_ended', personId: idOf('asha'), command: 'session end' },
        { code: 'command_refused', personId: idOf('joseph'), command: 'role list' },
        { event: 'session_ended', personId: idOf('asha'), command: 'session end' },
        { code: 'command_refused', personId: idOf('joseph'), command: 'role list' },
      ].map((line) => expect.objectContaining({ ...line, log: 'security' })),
    );
  });
});

describe('a person whose session ends while a command reads a file', () => {
  it('changes nothing with it, however late the file arrives (PEO-61)', async () => {
    await signIn('joseph');
    const { merchantId } = service.merchant.credentials;
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-held-'));
    const numbers = join(directory, 'numbers');
    await promisify(execFile)('mkfifo', [numbers]);
    const to = ['--merchant', merchantId, '--mode', 'live', '--phones-file', numbers];
    const held = by('joseph', 'destinations', 'set', ...to, ...why);
    // Opening it to write succeeds once the command reads it, so the command's own checks are behind it.
    const writing = await eventually(
      () =>
        open(numbers, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code === 'ENXIO') return undefined;
          throw error;
        }),
      (handle) => handle !== undefined,
    );
    await done('asha', 'session', 'end', '--person', idOf('joseph'), ...why);
    await writing?.write('254700000001\n');
    await writing?.close();
    const { code, stderr } = await held;
    expect([code, stderr]).toEqual([1, expect.stringContaining('your session has ended')]);
    const types = (await store.readStream(`merchant-${merchantId}`)).map(({ type }) => type);
    expect(types).not.toContain('DestinationsSet');
    await rm(directory, { recursive: true });
    await signIn('joseph');
  });
});

describe('a person who signs out on the command line', () => {
  it('is signed out everywhere: no copy of the token and no browser works any more', async () => {
    const { joseph: stolen = {} } = people;
    const browser = new Browser(origin, issuer);
    await browser.signIn({ subject: 'joseph' }, '/portal');
    const kept = join(stolen['XDG_CONFIG_HOME'] ?? '', 'pesapost', 'identities.json');
    await copyFile(kept, `${kept}.copy`);
    await done('joseph', 'role', 'list');
    expect((await browser.get('/portal/roles')).status).toBe(200);

    await done('joseph', 'logout');
    await copyFile(`${kept}.copy`, kept);
    await refused('joseph', ['role', 'list'], 'no one is signed in');
    await refused('joseph', ['whoami'], 'no one is signed in');
    const { status, location } = await browser.get('/portal/roles');
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/portal\/sign-in\?/)]);

    await signIn('joseph');
    await done('joseph', 'role', 'list');
    // The copy has no right to end the session that began since.
    expect(await typed(stolen, 'logout', '--json')).toMatchObject({ code: 0 });
    await done('joseph', 'role', 'list');
  });
});

describe('a suspended admin', () => {
  it('has no session and no role until two other admins lift the suspension', async () => {
    const whom = ['--person', idOf('joseph')];
    await done('asha', 'role', 'suspend', ...whom, ...why);
    await refused('joseph', ['role', 'list'], 'no one is signed in');
    await signIn('joseph');
    await refused('joseph', ['role', 'list'], 'has no role that permits this');

    const { proposal_id: id } = await done('asha', 'role', 'unsuspend', ...whom, ...why);
    await refused('asha', ['pending', 'confirm', String(id)], 'you proposed it');
    await refused('joseph', ['pending', 'confirm', String(id)], 'has no role');
    await done('wanjiru', 'pending', 'confirm', String(id));
    expect(await store.readLast('platform-roles')).toMatchObject({
      type: 'AdminUnsuspended',
      data: {
        person: idOf('joseph'),
        proposedBy: idOf('asha'),
        confirmedBy: idOf('wanjiru'),
      },
    });
    await refused('joseph', ['role', 'list'], 'no one is signed in');
    await signIn('joseph');
    await done('joseph', 'role', 'list');
  });
});

describe('break-glass', () => {
  const announce = (who: string): readonly string[] => [
    ...['role', 'break-glass', 'announce', '--person', idOf(who), '--name', who, ...why],
  ];
  const stop = ['role', 'break-glass', 'stop', ...why];

  it('is rejected while two admins can act', async () => {
    await signIn('njuguna');
    await refused('njuguna', announce('njeri'), 'two admins can act');
  });

  it('is announced to everyone, and a suspended admin stops it without a proof of presence', async () => {
    for (const one of ['joseph', 'wanjiru'])
      await done('asha', 'role', 'suspend', '--person', idOf(one), ...why);
    await done('njuguna', ...announce('njeri'));
    expect(await announced()).toMatchObject({
      person: idOf('njeri'),
      proposed_by: idOf('njuguna'),
    });
    for (const subject of ['asha', 'joseph']) {
      const browser = new Browser(origin, issuer);
      await browser.signIn({ subject }, '/portal');
      const { text } = await browser.get('/portal/break-glass');
      expect(text).toContain(idOf('njeri'));
    }
    await refused('njuguna', announce('mallory'), 'one announcement waits already');
    await refused('njuguna', stop, 'only an admin stops it');

    await signIn('joseph');
    await query('update records.portal_sessions set proved_at = null');
    await done('joseph', ...stop);
    await refused('joseph', stop, 'no announcement waits');
    expect(await announced()).toBeNull();
    expect((await typesOf()).slice(-2)).toEqual(['BreakGlassAnnounced', 'BreakGlassStopped']);
  });

  it('makes an admin a day later, by the worker, if no one stops it', async () => {
    await signIn('njuguna');
    await done('njuguna', ...announce('njeri'));
    const before = await typesOf();
    const worker = await service.startReplica('worker', { CLOCK_OFFSET: '1445m' });
    await eventually(typesOf, (types) => types.length > before.length, { withinMs: 60_000 });
    expect(await store.readLast('platform-roles')).toMatchObject({
      type: 'RoleGranted',
      data: { person: idOf('njeri'), role: 'admin', proposedBy: idOf('njuguna') },
      metadata: { actor: { kind: 'system', id: 'break-glass' } },
    });
    // By its clock a sign-in of today is over.
    worker.signal('SIGKILL');
    await worker.ended;
    await signIn('njeri');
    expect((await done('njeri', 'role', 'list'))['break_glass']).toBeNull();
  });
});
