import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { createViews, viewSchema } from '#views/view-set';
import {
  type CommandOutcome,
  freePort,
  openStore,
  type OwnServers,
  patientPool,
  startChild,
  startOwnServers,
  typed,
  withKeyFile,
} from '#testing';
import { FakeIssuer } from '../../libs/edges/portal/test/fake-issuer.js';
import { grantTwoAdmins, signInAt } from './two-admins.js';

const why = ['--reason', 'an attack'];

let servers: OwnServers;
let store: EventStoreDb;
let issuer: FakeIssuer;
let directory: string;
let merchantId: string;
/** The settings of a person who has the stores' addresses and the master key, with no issuer and their own DATA_DIR. */
let machine: Readonly<Record<string, string>>;
const people: Record<string, Readonly<Record<string, string>>> = {};

beforeAll(async () => {
  [servers, directory] = [await startOwnServers(), await mkdtemp(join(tmpdir(), 'pesapost-two-'))];
  store = openStore(servers.env['EVENTSTORE_URL']);
  await makeViews();
  const MASTER_KEY = `k1:${randomBytes(32).toString('base64')}`;
  machine = { ...servers.env, MASTER_KEY, DATA_DIR: directory };
  const created = await run('merchant', 'create', '--name', 'Duka', '--as', 'root');
  merchantId = (JSON.parse(created.stdout) as { merchant_id: string }).merchant_id;
  await changesNothingYet();
  const { issuer: own, asha, joseph } = await grantTwoAdmins(machine);
  [issuer, people['asha'], people['joseph']] = [own, asha, joseph];
  const opened = await by('asha', 'account', 'open', '--currency', 'KES', ...live());
  expect(opened.code).toBe(0);
});
afterAll(async () => {
  await issuer.stop();
  await store.dispose();
  await servers.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Before the first role: a live credential of one person would be valid after it. */
async function changesNothingYet(): Promise<void> {
  const before = await typesOf(`merchant-${merchantId}`);
  await withKeyFile(async (file) => {
    const issue = ['credential', 'issue', '--kind', 'v4', '--holder', 'till', '--public-key', file];
    for (const change of [
      [...issue, '--ips', '203.0.113.7', ...live()],
      ['fee', 'set', '--basis-points', '9000', ...live()],
    ])
      expect(await run(...change, '--as', 'root')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('role first-admins') as unknown,
      });
  });
  expect(await typesOf(`merchant-${merchantId}`)).toEqual(before);
}

const live = (): readonly string[] => ['--merchant', merchantId, '--mode', 'live'];

/** As the first projector makes them: `pending list` reads the waiting collections, too. */
const makeViews = (): Promise<void> =>
  withDatabase((database) => createViews(database, viewSchema()));

const query = (statement: string): Promise<unknown> =>
  withDatabase((database) => database.query(statement));

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const logger = createLogger({ app: 'spec', level: 'silent' });
  const url = servers.env['DATABASE_URL'];
  const database = new Database({ ...patientPool, url, app: 'spec', logger });
  return work(database).finally(() => database.close());
}

/** Runs a command as anyone with access to the machine, without an issuer. */
function run(...words: readonly string[]): Promise<CommandOutcome> {
  return typed(machine, ...words, ...why, '--json');
}

/** Runs a command as a signed-in person. */
function by(who: string, ...words: readonly string[]): Promise<CommandOutcome> {
  return typed({ ...machine, ...people[who] }, ...words, ...why, '--json');
}

function jsonOf({ stdout }: CommandOutcome): Readonly<Record<string, unknown>> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function proposed(who: string, ...words: readonly string[]): Promise<string> {
  const done = await by(who, ...words);
  expect([done.stderr, jsonOf(done)]).toEqual([
    '',
    expect.objectContaining({ status: 'proposed' }),
  ]);
  return jsonOf(done)['proposal_id'] as string;
}

/** Notes the log's first role in the views, as the projector would. */
async function noteFirstRole(): Promise<void> {
  const [first] = await store.readStream('platform-roles');
  await query(`insert into ${viewSchema()}.acts (position, kind, type, recorded_at, actor, people, stream, revision, details)
    values (${first?.position}, 'role', 'RoleGranted', now(), 'root', '{root}', 'platform-roles', 0, '{}')
    on conflict do nothing`);
}

const typesOf = async (stream: string): Promise<readonly string[]> =>
  (await store.readStream(stream)).map(({ type }) => type);

describe('with the stores’ addresses and the master key, but no issuer and another DATA_DIR', () => {
  it('a typed name changes no fee', async () => {
    const before = await typesOf(`merchant-${merchantId}`);
    const fee = ['fee', 'set', '--basis-points', '9000', ...live()];
    for (const name of [['--as', 'root'], []]) {
      const refused = await run(...fee, ...name);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining('people have roles here'),
      ]);
    }
    expect(await typesOf(`merchant-${merchantId}`)).toEqual(before);
  });

  it('a private empty log beside the real database makes no typed name valid', async () => {
    const port = await freePort();
    const empty = await startChild('embedded-eventstore', {
      EMBEDDED_EVENTSTORE_DIR: await mkdtemp(join(directory, 'empty-')),
      EMBEDDED_EVENTSTORE_PORT: String(port),
    });
    await noteFirstRole();
    const own = { ...machine, EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` };
    const words = ['session', 'end', '--person', `${issuer.url}#asha`, '--as', 'root'];
    const refused = await typed(own, ...words, ...why);
    empty.signal('SIGTERM');
    await empty.ended;
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('people have roles here'),
    ]);
  });

  it('a private log with private admins has no power over another database', async () => {
    await noteFirstRole();
    const port = await freePort();
    const store = await startChild('embedded-eventstore', {
      EMBEDDED_EVENTSTORE_DIR: await mkdtemp(join(directory, 'own-')),
      EMBEDDED_EVENTSTORE_PORT: String(port),
    });
    const ownIssuer = new FakeIssuer();
    await ownIssuer.start();
    const own = { ...machine, EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` };
    const ownPeople = ['mallory', 'trudy'].map((name) => `${ownIssuer.url}#${name}`);
    const admins = ownPeople.flatMap((id) => ['--admin', `${id}=M`]);
    const issuer = { OIDC_ISSUER: ownIssuer.url, OIDC_CLIENT_ID: 'portal' };
    expect(
      (await typed({ ...own, ...issuer }, 'role', 'first-admins', ...admins, ...why)).code,
    ).toBe(0);
    const mallory = await signInAt(ownIssuer, 'mallory', own);
    const refused = await typed(mallory, 'session', 'end', '--person', ownPeople[1] ?? '', ...why);
    await ownIssuer.stop();
    store.signal('SIGTERM');
    await store.ended;
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('is not the log of this database'),
    ]);
  });

  it('real people’s names do not make anyone an admin', async () => {
    const before = await typesOf('platform-roles');
    const terms = ['--person', `${issuer.url}#mallory`, '--name', 'Mallory', '--role', 'admin'];
    const granted = await run('role', 'grant', ...terms, '--as', `${issuer.url}#asha`);
    expect([granted.code, granted.stderr]).toEqual([2, expect.stringContaining('no person’s id')]);
    expect(await typesOf('platform-roles')).toEqual(before);
  });

  it('a private run.json with a private issuer identifies no one', async () => {
    const own = new FakeIssuer();
    await own.start();
    const run_json = {
      eventstore_url: machine['EVENTSTORE_URL'],
      database_url: machine['DATABASE_URL'],
      oidc_issuer: own.url,
      owner_token: await own.commandLineToken('machine:root'),
    };
    const file = join(directory, 'run.json');
    await writeFile(file, JSON.stringify(run_json));
    const fee = await run('fee', 'set', '--basis-points', '9000', ...live());
    const other = await signInAt(own, 'asha', machine);
    const signedIn = await typed(other, 'fee', 'set', '--basis-points', '1', ...live(), ...why);
    await rm(file);
    await own.stop();
    expect([fee.code, fee.stderr]).toEqual([1, expect.stringContaining('no one is signed in')]);
    expect([signedIn.code, signedIn.stderr]).toEqual([1, expect.stringContaining('has no role')]);
  });
});

describe('one admin alone', () => {
  const issue = (holder: string, file: string): readonly string[] => [
    ...['credential', 'issue', '--kind', 'v4', '--holder', holder, '--public-key', file],
    ...['--ips', '203.0.113.7', ...live()],
  ];

  it('cannot issue a live credential: another admin confirms exactly that one', async () => {
    await withKeyFile(async (file) => {
      const id = await proposed('asha', ...issue('till', file));
      const waiting = await typed({ ...machine, ...people['joseph'] }, 'pending', 'list');
      expect(waiting.stdout).toContain(`${id}: issue a V4 credential for merchant ${merchantId}`);
      const own = await by('asha', 'pending', 'confirm', id);
      expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('you proposed it')]);
      expect(await typesOf(`merchant-${merchantId}`)).not.toContain('CredentialIssued');
      const confirmed = await by('joseph', 'pending', 'confirm', id);
      expect(jsonOf(confirmed)).toMatchObject({
        credential_id: id,
        client_secret: expect.any(String),
      });
      const last = await store.readLast(`merchant-${merchantId}`);
      expect(last).toMatchObject({
        type: 'CredentialIssued',
        data: {
          holder: 'till',
          proposedBy: `${issuer.url}#asha`,
          confirmedBy: `${issuer.url}#joseph`,
        },
      });
      const again = await by('joseph', 'pending', 'confirm', id);
      expect(jsonOf(again)).toEqual({ confirmed: [id] });
      const similar = await by('asha', ...issue('TILL', file));
      expect([similar.code, similar.stderr]).toEqual([1, expect.stringContaining('only by case')]);
      const everybody = ['ip-list', 'set', '--ips', '0.0.0.0/1,128.0.0.0/1', '--credential', id];
      const refused = await by('asha', ...everybody, '--merchant', merchantId);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining('ALLOW_UNSAFE=credentials-for-everybody'),
      ]);
    });
  });

  it('cannot extend a live credential: another admin confirms that end', async () => {
    await withKeyFile(async (file) => {
      const id = await proposed('asha', ...issue('kiosk', file), '--expires', '30d');
      expect((await by('joseph', 'pending', 'confirm', id)).code).toBe(0);
      const set = (end: string) =>
        ['credential', 'expiry', 'set', id, '--expires', end, '--merchant', merchantId] as const;
      const why = ['--reason', 'spec'] as const;
      expect((await by('asha', ...set('7d'), ...why)).code).toBe(0);
      const longer = await proposed('asha', ...set('none'), ...why);
      const waiting = await typed({ ...machine, ...people['joseph'] }, 'pending', 'list');
      expect(waiting.stdout).toContain(`${longer}: let a credential work for longer`);
      const before = await store.readLast(`merchant-${merchantId}`);
      expect(before).toMatchObject({ type: 'CredentialExpirySet', data: { credentialId: id } });
      expect((await by('joseph', 'pending', 'confirm', longer)).code).toBe(0);
      const last = await store.readLast(`merchant-${merchantId}`);
      expect(last).toMatchObject({
        type: 'CredentialExpirySet',
        data: {
          credentialId: id,
          proposedBy: `${issuer.url}#asha`,
          confirmedBy: `${issuer.url}#joseph`,
        },
      });
      expect(last?.data).not.toHaveProperty('expiresAt');
    });
  });

  it('sees what waits for the other admin even if the views cannot be read', async () => {
    const id = await proposed('asha', 'fee', 'set', '--basis-points', '80', ...live());
    const joseph = { ...machine, ...people['joseph'] };
    const list = ['pending', 'list'];
    await query(`alter schema ${viewSchema()} rename to views_away`);
    const [text, json] = await Promise.all([
      typed(joseph, ...list),
      typed(joseph, ...list, '--json'),
    ]);
    await query(`alter schema views_away rename to ${viewSchema()}`);
    const unread = 'incomplete: the collections that wait for the rail could not be read';
    for (const { code, stderr } of [text, json])
      expect([code, stderr]).toEqual([1, expect.stringContaining(unread)]);
    expect(text.stdout).toContain(`${id}: change the fee for merchant ${merchantId}`);
    expect(jsonOf(json)).toMatchObject({
      pending: null,
      proposals: expect.arrayContaining([expect.objectContaining({ id })]),
    });
    expect((await by('asha', 'pending', 'decline', id)).code).toBe(0);
  });

  it('cannot bind a holder, raise or widen anything; narrowing takes effect at once', async () => {
    const set = ['limits', 'set', ...live()];
    expect((await by('asha', ...set, '--payout', '500')).code).toBe(0);
    const raise = await proposed('asha', ...set, '--payout', '900');
    await proposed('asha', 'fee', 'set', '--basis-points', '9000', ...live());
    const of = ['--merchant', merchantId];
    await proposed('asha', 'holder', 'bind', '--holder', 'till', '--system', 'till', ...of);
    expect((await by('joseph', ...set, '--payout', '100')).code).toBe(0);
    const stale = await by('joseph', 'pending', 'confirm', raise);
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('has changed since')]);
    expect((await by('asha', 'pending', 'decline', raise)).code).toBe(0);
    expect(await store.readLast(`merchant-${merchantId}`)).toMatchObject({
      type: 'LimitsSet',
      data: { maxMinor: 100n },
    });
  });
});
