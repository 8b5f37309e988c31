import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeycloakDouble } from '../test/keycloak-double.js';
import { type Issuer } from './issuer.js';
import { keepSignIn, keptOf, readSignIn } from './kept-sign-in.js';
import { signIn } from './sign-in.js';
import { signedIn } from './signed-in.js';

const keycloak = new KeycloakDouble();
const before = process.env['XDG_CONFIG_HOME'];
const said: string[] = [];
let folder: string;
let ended: Buffer[];

beforeAll(async () => {
  await keycloak.start();
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await keycloak.stop();
});
beforeEach(async () => {
  Object.assign(keycloak, new KeycloakDouble());
  folder = await mkdtemp(join(tmpdir(), 'pesapost-renewal-'));
  process.env['XDG_CONFIG_HOME'] = folder;
  ended = [];
});
afterEach(async () => {
  if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = before;
  await rm(folder, { recursive: true, force: true });
});

const issuer = (): Issuer => ({
  url: keycloak.url,
  clientId: keycloak.clientId,
  stepUpAcr: [],
  owner: undefined,
});

/** Signs in and keeps that, as `login` does. */
async function login(): Promise<void> {
  await keepSignIn(issuer(), keptOf(await signIn(issuer(), 'device')));
}

/** The person in whose name the next command acts. */
const acting = () =>
  signedIn(issuer(), (hash) => {
    ended.push(hash);
    return Promise.resolve();
  });

/** Waits until the identity token of one second has expired. */
const expired = () => new Promise((done) => setTimeout(done, 1100));

describe('a sign-in with a refresh token', () => {
  it('is renewed with each command, and stays one session', async () => {
    keycloak.tokenLifeS = 1;
    await login();
    await expired();
    keycloak.tokenLifeS = 300;
    const [first, second] = [await acting(), await acting()];
    expect(first).toMatchObject({ person: { subject: 'amina' }, isRenewed: true });
    expect(first?.expiresAt.getTime()).toBeGreaterThan(Date.now());
    expect(second?.hash).toEqual(first?.hash);
    // The realm took each token once.
    expect(keycloak.refreshTokens.size).toBe(1);
  });

  it('is renewed by commands that run at the same time, one after the other', async () => {
    await login();
    const all = await Promise.all(Array.from({ length: 4 }, acting));
    expect(all.map((found) => found?.person.subject)).toEqual(Array(4).fill('amina'));
    expect(ended).toEqual([]);
  });

  it('is renewed though a command was killed while it renewed', async () => {
    await login();
    const lock = join(folder, 'pesapost', 'identities.lock');
    await writeFile(lock, String(Date.now() - 3_600_000));
    expect(await acting()).toMatchObject({ person: { subject: 'amina' } });
    expect(await readdir(join(folder, 'pesapost'))).toEqual(['identities.json']);
  });

  it.each(['invalid_grant', 'interaction_required'])(
    'ends here and in the records with the refusal %s',
    async (error) => {
      await login();
      const { hash } = (await acting()) ?? {};
      keycloak.refusesRenewal = error;
      await expect(acting()).rejects.toThrow(
        `the issuer ended your sign-in (${error}): npx pesapost login`,
      );
      expect(ended).toEqual([hash]);
      keycloak.refusesRenewal = undefined;
      expect(await acting()).toBeUndefined();
    },
  );

  it.each([500, 503, 'invalid_client', 'temporarily_unavailable'])(
    'stays as it is with the answer %s, until its identity token expires',
    async (answer) => {
      await login();
      keycloak.refusesRenewal = answer;
      expect(await acting()).toMatchObject({ person: { subject: 'amina' } });
      keycloak.refusesRenewal = undefined;
      keycloak.tokenLifeS = 1;
      await acting();
      await expired();
      keycloak.refusesRenewal = answer;
      await expect(acting()).rejects.toThrow('is it running?');
      expect(await readSignIn(issuer())).toBeDefined();
      expect(ended).toEqual([]);
      keycloak.tokenLifeS = 300;
      keycloak.refusesRenewal = undefined;
      expect(await acting()).toMatchObject({ person: { subject: 'amina' } });
    },
  );

  it('ends if the issuer answers with another person', async () => {
    await login();
    for (const token of keycloak.refreshTokens.keys()) keycloak.refreshTokens.set(token, 'baraka');
    await expect(acting()).rejects.toThrow('the issuer ended your sign-in');
    expect(ended).toHaveLength(1);
  });

  it('has its token in the user’s own file alone', async () => {
    await login();
    const path = join(folder, 'pesapost', 'identities.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('refresh-');
    await acting();
    expect(said.join('')).not.toContain('refresh-');
  });
});

it('a sign-in without a refresh token lasts as long as its identity token', async () => {
  keycloak.givesRefreshTokens = false;
  await login();
  expect(await acting()).toMatchObject({ isRenewed: false });
  // The file is as the releases before wrote it, and read.
  const text = await readFile(join(folder, 'pesapost', 'identities.json'), 'utf8');
  expect(Object.values(JSON.parse(text) as object)).toEqual([expect.stringMatching(/^ey/)]);
});
