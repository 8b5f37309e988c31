import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { KeycloakDouble } from '../test/keycloak-double.js';
import { tokensByBrowser } from './browser-flow.js';
import { type Issuer } from './issuer.js';
import { type Anew, knownIssuer } from './known-issuer.js';
import { proofOf, shortcomingsOf, warnOfLabel } from './presence.js';
import { flowHere, signIn } from './sign-in.js';
import { type SignedIn, verified } from './signed-in.js';

const keycloak = new KeycloakDouble();
const said: string[] = [];

beforeAll(async () => {
  await keycloak.start();
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await keycloak.stop();
});
beforeEach(() => {
  said.length = 0;
  Object.assign(keycloak, new KeycloakDouble());
});

const issuerAt = (url: string): Issuer => ({
  url,
  clientId: keycloak.clientId,
  stepUpAcr: [],
  owner: undefined,
});
const issuer = (): Issuer => issuerAt(keycloak.url);

/** Signs in with the browser of this machine, which comes back by itself. */
async function byBrowser(anew?: Anew, browse = (url: string) => keycloak.browse(url)) {
  const known = await knownIssuer(issuer());
  const opened: string[] = [];
  const { idToken } = await tokensByBrowser(known, anew, (url) => {
    opened.push(url);
    void browse(url);
  });
  return { found: await foundIn(idToken), asked: new URL(opened[0] ?? '').searchParams };
}

async function foundIn(token: string): Promise<SignedIn> {
  const found = await verified(issuer(), token);
  if (!found) throw new TypeError('the token names no one');
  return found;
}

describe('the browser of this machine', () => {
  it('is the flow of a machine with a display, and not of one that is reached remotely', () => {
    expect(flowHere({ DISPLAY: ':0' }, 'linux')).toBe('browser');
    expect(flowHere({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe('browser');
    expect(flowHere({}, 'darwin')).toBe('browser');
    expect(flowHere({}, 'linux')).toBe('device');
    expect(flowHere({ DISPLAY: '' }, 'linux')).toBe('device');
    expect(flowHere({ DISPLAY: ':0', SSH_CONNECTION: 'a' }, 'linux')).toBe('device');
    expect(flowHere({ SSH_TTY: '/dev/pts/0' }, 'darwin')).toBe('device');
  });

  it('signs a person in by a code that only this process can use', async () => {
    const { found, asked } = await byBrowser();
    expect(found).toMatchObject({ person: { subject: 'amina' }, name: 'Amina' });
    expect(Object.fromEntries(asked)).toMatchObject({
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      scope: 'openid profile',
      code_challenge_method: 'S256',
    });
    expect(asked.has('max_age')).toBe(false);
    expect(said.join('')).toContain('pesapost login --device');
  });

  it('proves presence again, by the requested passkey, bound to the nonce', async () => {
    keycloak.session = { subject: 'amina', authenticatedAtS: 1_700_000_000, acr: '1' };
    const proof = await proofOf(issuer());
    const begunAtMs = Date.now();
    const { found, asked } = await byBrowser({ proof, nonce: 'random.digest' });
    expect(Object.fromEntries(asked)).toMatchObject({
      max_age: '0',
      prompt: 'login',
      acr_values: 'phr',
      nonce: 'random.digest',
    });
    expect([found.nonce, found.acr]).toEqual(['random.digest', 'phr']);
    expect(shortcomingsOf(found, { proof, begunAtMs })).toEqual([]);
  });

  it('is waited for, whatever other requests reach the port', async () => {
    let early: Socket | undefined;
    const { found } = await byBrowser(undefined, async (url) => {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      const others = ['/', '/callback?code=x', '/callback?code=x&state=forged'];
      const answers = await Promise.all(others.map((path) => fetch(new URL(path, back))));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      early = connect(Number(back.port), back.hostname);
      await once(early, 'connect');
      return keycloak.browse(url);
    });
    expect(found.person.subject).toBe('amina');
    // A browser opens connections in advance. They do not keep the command from ending.
    if (early?.closed === false) await once(early, 'close');
    expect(early?.closed).toBe(true);
  });

  it('says that the person declined', async () => {
    keycloak.declines = true;
    await expect(byBrowser()).rejects.toThrow(
      'you are not signed in: you declined, or the issuer does not let you in (access_denied)',
    );
  });
});

describe('a code for another browser', () => {
  const byDevice = async (anew?: Anew) => foundIn((await signIn(issuer(), 'device', anew)).idToken);

  it('signs a person in', async () => {
    expect(await byDevice()).toMatchObject({ person: { subject: 'amina' } });
    expect(said).toEqual([`open ${keycloak.url}/device and type the code ABCD\n`]);
  });

  it('does not prove presence by an earlier session; the refusal names both values and the way out', async () => {
    keycloak.session = { subject: 'amina', authenticatedAtS: 1_700_000_000, acr: '1' };
    const proof = await proofOf(issuer());
    const begunAtMs = Date.now();
    const [time = '', acr = '', ...more] = shortcomingsOf(await byDevice({ proof }), {
      proof,
      begunAtMs,
    });
    expect(more).toEqual([]);
    expect(time).toContain('auth_time is 2023-11-14T22:13:20.000Z');
    expect(time).toContain(`this sign-in began at ${new Date(begunAtMs).toISOString()}`);
    expect(time).toContain('without --device');
    expect(time).toContain('private window');
    expect(acr).toContain('acr is 1, and phr is required');
  });

  it('does not prove presence by a sign-in a minute old, even if no acr is required', async () => {
    const authenticatedAtS = Math.floor(Date.now() / 1000) - 60;
    keycloak.session = { subject: 'amina', authenticatedAtS, acr: '1' };
    const proof = { asked: [], isRequired: false };
    const begunAtMs = Date.now();
    const shortcomings = shortcomingsOf(await byDevice({ proof }), { proof, begunAtMs });
    expect(shortcomings).toEqual([expect.stringMatching(/^auth_time is .*this sign-in began at/)]);
  });

  it('warns if the realm reports a password as phr', async () => {
    const authenticatedAtS = Math.floor(Date.now() / 1000);
    for (const [amr, warnings] of [
      [['pwd'], 1],
      [['hwk'], 0],
      [undefined, 0],
    ] as const) {
      keycloak.session = { subject: 'amina', authenticatedAtS, acr: 'phr', ...(amr && { amr }) };
      said.length = 0;
      warnOfLabel(await byDevice());
      const own = said.filter((line) => line.includes('acr is phr, but amr is pwd'));
      expect([amr, own.length]).toEqual([amr, warnings]);
    }
  });

  it('lacks only the acr if the person has just signed in', async () => {
    const proof = await proofOf(issuer());
    const begunAtMs = Date.now();
    const shortcomings = shortcomingsOf(await byDevice({ proof }), { proof, begunAtMs });
    expect(shortcomings).toEqual([expect.stringMatching(/^acr is 1, and phr is required/)]);
  });
});

describe('a sign-in that the settings prevent', () => {
  const refused = async (change: Partial<KeycloakDouble>, flow: 'browser' | 'device') => {
    Object.assign(keycloak, change);
    const done = flow === 'device' ? signIn(issuer(), 'device') : byBrowser();
    return done.then(
      () => 'signed in',
      (error: unknown) => (error as Error).message,
    );
  };

  it.each(['PS256', 'HS256'])('names the algorithm %s and the accepted ones', async (alg) => {
    for (const flow of ['browser', 'device'] as const)
      expect(await refused({ alg }, flow)).toContain(
        `the issuer signs with ${alg}, and only RS256 or ES256 is accepted: set that for the client pesapost-cli`,
      );
  });

  it('names the scope that the client lacks', async () => {
    for (const flow of ['browser', 'device'] as const)
      expect(await refused({ scopes: ['openid'] }, flow)).toContain(
        'pesapost-cli lacks the scope profile at the issuer (invalid_scope)',
      );
  });

  it('names the client whose flow is off', async () => {
    const words = await refused({ hasDeviceFlow: false }, 'device');
    expect(words).toContain('does not let the client pesapost-cli sign people in so (unauthorized');
  });

  it('names the configured and the found issuer, to the letter', async () => {
    const other = keycloak.url.replace('localhost', '127.0.0.1');
    for (const flow of ['browser', 'device'] as const)
      expect(await refused({ name: other }, flow)).toBe(
        `the issuer of identities is set as ${keycloak.url}, but calls itself ${other}: OIDC_ISSUER must be that, to the letter`,
      );
    keycloak.name = undefined;
    const slashed = `${keycloak.url}/`;
    await expect(signIn(issuerAt(slashed), 'device')).rejects.toThrow(
      `calls itself ${keycloak.url}`,
    );
  });

  it('distinguishes an unknown realm from an issuer that is down', async () => {
    const unknown = `${keycloak.url}-2`;
    await expect(signIn(issuerAt(unknown), 'device')).rejects.toThrow(
      `there is no issuer of identities at ${unknown}: ${unknown}/.well-known/openid-configuration answers 404`,
    );
    await expect(signIn(issuerAt('http://127.0.0.1:1'), 'device')).rejects.toThrow(
      'is it running?',
    );
  });

  it('ends after ten seconds if the issuer hangs', async () => {
    keycloak.health = 'hung';
    const begun = performance.now();
    await expect(signIn(issuer(), 'device')).rejects.toThrow('is it running?');
    // The library alone would wait for 30 s.
    expect(performance.now() - begun).toBeLessThan(25_000);
  }, 60_000);
});
