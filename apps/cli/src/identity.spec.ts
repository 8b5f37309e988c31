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
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { type HeldRole, type Person, personId } from '#domain/people';
import { Command } from 'commander';
import { assertOfIssuer } from './commands/role/role-options.js';
import { type IssuersOfRoles, settleWhoActs, userAtHost } from './identity.js';
import { type Issuer, issuerOf } from './issuer.js';
import { operatorMetadata, whoOption } from './operator.js';
import { type ProveAnew } from './presence.js';
import { settingsOrRefused } from './settings.js';
import { keepSignIn, keptOf } from './kept-sign-in.js';
import { signedIn } from './signed-in.js';

describe('the person acting on the command line', () => {
  let server: Server;
  let url: string;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let folder: string;
  let roles: readonly HeldRole[];
  let issuers: IssuersOfRoles;
  let isLive: boolean;
  let offered: readonly string[];
  let movedTo: string | undefined;
  let prove: ProveAnew | undefined;
  /** The session's state, as the records have it. */
  let isProved: boolean;
  let provedAtMs: number;
  let acts: (readonly [string, string, string])[];
  const ended = new Set<string>();
  const before = { ...process.env };

  beforeAll(async () => {
    keys = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' };
    server = createServer((request, response) => {
      const isKeys = request.url === '/keys';
      if (movedTo !== undefined && !isKeys && request.url !== movedTo) {
        response.writeHead(302, { location: movedTo }).end();
        return;
      }
      const document = { issuer: url, jwks_uri: `${url}/keys`, acr_values_supported: offered };
      const answer = isKeys ? { keys: [jwk] } : document;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pesapost-whoami-'));
    process.env['XDG_CONFIG_HOME'] = folder;
    process.env['DATA_DIR'] = folder;
    roles = [{ role: 'admin' }];
    [offered, prove, movedTo, issuers] = [[], undefined, undefined, undefined];
    [isLive, isProved, provedAtMs, acts] = [false, true, 0, []];
    ended.clear();
    delete process.env['OIDC_ISSUER'];
    delete process.env['OIDC_CLIENT_ID'];
    delete process.env['EVENTSTORE_URL'];
    delete process.env['DATABASE_URL'];
    delete process.env['OIDC_STEP_UP_ACR'];
    delete process.env['ALLOW_UNSAFE'];
  });
  afterEach(async () => {
    process.env = { ...before };
    await rm(folder, { recursive: true, force: true });
  });

  /** A token of a person whom the issuer saw so many seconds ago. */
  const claims = (
    more: object = {},
    { audience = 'pesapost-cli', seconds = 3600, agoS = 0 } = {},
  ) => {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ name: 'Amina', acr: 'phr', auth_time: now - agoS, ...more })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(url)
      .setSubject('s1')
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + seconds);
  };
  const issuer = (): Issuer => ({
    url,
    clientId: 'pesapost-cli',
    stepUpAcr: [],
    owner: undefined,
  });
  const keepToken = (of: Issuer, idToken: string | undefined) =>
    keepSignIn(
      of,
      idToken === undefined ? undefined : keptOf({ idToken, refreshToken: undefined }),
    );
  const keep = async (token: SignJWT) => keepToken(issuer(), await token.sign(keys.privateKey));
  const setIssuer = () => {
    process.env['OIDC_ISSUER'] = url;
    process.env['OIDC_CLIENT_ID'] = 'portal';
  };
  const ports = () => ({
    standingOf: ({ hash }: { readonly hash: Buffer }) =>
      Promise.resolve({
        roles,
        session: ended.has(hash.toString('hex')) ? undefined : { isProved },
      }),
    issuersOfRoles: () => Promise.resolve(issuers),
    mayHaveLiveData: () => Promise.resolve(isLive),
    noteProof: (_person: Person, at: Date) => {
      const isLater = at.getTime() > provedAtMs;
      if (isLater) provedAtMs = at.getTime();
      return Promise.resolve(isLater);
    },
    note: (event: string, { person, command }: { person: Person; command: string }) => {
      acts.push([event, personId(person), command]);
      return Promise.resolve();
    },
    prove,
  });
  const acting = async (...words: string[]) => {
    const command = new Command('set').exitOverride().addOption(whoOption()).option('--flag <n>');
    let metadata: ReturnType<typeof operatorMetadata> | undefined;
    command.action((options: { readonly as: string }) => {
      metadata = operatorMetadata(options);
    });
    const program = new Command()
      .exitOverride()
      .hook('preAction', (_program, of) => settleWhoActs(of, ports()))
      .addCommand(new Command('fee').exitOverride().addCommand(command));
    await program.parseAsync(['fee', 'set', ...words], { from: 'user' });
    return metadata?.actor;
  };

  it('is the one the issuer signed in, kept in a private file until the sign-in expires', async () => {
    await keep(claims());
    expect(await signedIn(issuer())).toMatchObject({
      person: { issuer: url, subject: 's1' },
      name: 'Amina',
    });
    const file = join(folder, 'pesapost', 'identities.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(url);
    await keep(claims({}, { seconds: -1 }));
    expect(await signedIn(issuer())).toBeUndefined();
    await keepToken(issuer(), undefined);
    expect(await readFile(file, 'utf8')).toBe('{}\n');
  });

  it('cannot be typed once the log has a role, whatever the environment contains', async () => {
    expect(await acting('--as', 'root')).toMatchObject({ id: 'root', holder: userAtHost() });
    issuers = new Set(['https://id.example']);
    await expect(acting('--as', 'root')).rejects.toThrow('--as: people have roles here');
    await expect(acting()).rejects.toThrow('set OIDC_ISSUER');
  });

  it('cannot be typed in the form of a person’s id', async () => {
    for (const name of [`${url}#s1`, 'HTTPS://id.example #s1', 'ｈttps://id.example#s1'])
      await expect(acting('--as', name)).rejects.toThrow('no person’s id');
  });

  it('is not identified by a token of another client, of another key, or without a signature', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const unsigned = new UnsecuredJWT({ iss: url, sub: 's1', aud: 'pesapost-cli' });
    for (const token of [
      await claims({}, { audience: 'portal' }).sign(keys.privateKey),
      await claims({ azp: 'portal' }).setAudience(['portal', 'pesapost-cli']).sign(keys.privateKey),
      await claims().sign(privateKey),
      unsigned.setExpirationTime('1h').encode(),
      'nonsense',
    ]) {
      await keepToken(issuer(), token);
      expect(await signedIn(issuer())).toBeUndefined();
    }
  });

  it('is the signed-in person if an issuer is set, and never a typed name', async () => {
    setIssuer();
    await expect(acting('--as', 'asha')).rejects.toThrow('--as: OIDC_ISSUER is set');
    await expect(acting()).rejects.toThrow('no one is signed in');
    await keep(claims());
    expect(await acting()).toEqual({ kind: 'operator', id: `${url}#s1` });
  });

  it('is no one once the session was ended, or twelve hours after the sign-in', async () => {
    setIssuer();
    await keep(claims());
    const { hash } = (await signedIn(issuer())) ?? {};
    ended.add(hash?.toString('hex') ?? '');
    await expect(acting()).rejects.toThrow('no one is signed in');
    const longAgo = Math.floor(Date.now() / 1000) - 12 * 3600;
    await keep(claims({}, { seconds: 24 * 3600 }).setIssuedAt(longAgo));
    await expect(acting()).rejects.toThrow('no one is signed in');
    await keep(claims({}, { seconds: 24 * 3600 }).setIssuedAt(longAgo + 60));
    expect(await acting()).toEqual({ kind: 'operator', id: `${url}#s1` });
  });

  it('may do what their roles permit, and nothing else', async () => {
    setIssuer();
    await keep(claims());
    for (roles of [[], [{ role: 'finance' }], [{ role: 'owner', merchantId: 'm1' }]] as const)
      await expect(acting()).rejects.toThrow('Amina has no role that permits this');
  });

  it('reconciles as the merchant if no operator role permits it', async () => {
    const isMerchants = async (...held: readonly HeldRole[]): Promise<boolean> => {
      roles = held;
      let given: { readonly isMerchants?: true } = {};
      const command = new Command('reconcile').exitOverride().addOption(whoOption());
      command.option('--merchant <id>').action((options: typeof given) => {
        given = options;
      });
      await new Command()
        .exitOverride()
        .hook('preAction', (_program, of) => settleWhoActs(of, ports()))
        .addCommand(command)
        .parseAsync(['reconcile', '--merchant', 'm1'], { from: 'user' });
      return given.isMerchants === true;
    };
    setIssuer();
    await keep(claims());
    expect(await isMerchants({ role: 'owner', merchantId: 'm1' })).toBe(true);
    expect(await isMerchants({ role: 'finance' })).toBe(false);
    expect(await isMerchants({ role: 'finance' }, { role: 'owner', merchantId: 'm1' })).toBe(false);
  });

  it('is the named person if no issuer is set, recorded with the machine’s user', async () => {
    expect(await acting('--as', 'asha')).toEqual({
      kind: 'operator',
      id: 'asha',
      holder: userAtHost(),
    });
  });

  describe('for actions that need a step-up in the portal', () => {
    beforeEach(setIssuer);

    it('must have proved presence by login --fresh; a plain sign-in is no proof, however fresh', async () => {
      await keep(claims());
      expect(await acting()).toEqual({ kind: 'operator', id: `${url}#s1` });
      isProved = false;
      await expect(acting()).rejects.toThrow(
        'fee set needs a proof of presence of the last five minutes: npx pesapost login --fresh',
      );
    });

    it('must have used a passkey, whatever the command’s own environment names', async () => {
      await keep(claims({ acr: 'pwd' }));
      for (const named of ['', 'pwd', 'any', 'phr pwd']) {
        process.env['OIDC_STEP_UP_ACR'] = named;
        await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      }
      await keep(claims());
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
      process.env['OIDC_STEP_UP_ACR'] = 'phrh';
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
    });

    it('may prove presence as the setting says if ALLOW_UNSAFE names the rule', async () => {
      process.env['ALLOW_UNSAFE'] = 'weak-presence';
      await keep(claims({ acr: 'pwd' }));
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
      offered = ['phr'];
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      process.env['OIDC_STEP_UP_ACR'] = 'gold';
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      process.env['OIDC_STEP_UP_ACR'] = 'any';
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
    });

    it('must have proved presence to announce a new admin, but only be signed in to stop one', async () => {
      const breakGlass = async (name: string) => {
        const command = new Command(name).action(() => undefined);
        const role = new Command('role').addCommand(new Command('break-glass').addCommand(command));
        await new Command()
          .hook('preAction', (_program, of) => settleWhoActs(of, ports()))
          .addCommand(role)
          .parseAsync(['role', 'break-glass', name], { from: 'user' });
      };
      await expect(breakGlass('stop')).rejects.toThrow('no one is signed in');
      await keep(claims());
      [isProved, roles] = [false, []];
      await breakGlass('stop');
      await expect(breakGlass('announce')).rejects.toThrow('npx pesapost login --fresh');
    });

    it('signs in again for one command at a terminal, which does not count for another', async () => {
      await keep(claims({}, { agoS: 3600 }));
      isProved = false;
      const asked: (string | undefined)[] = [];
      let at = Math.floor(Date.now() / 1000);
      prove = async (_issuer, anew) => {
        asked.push(anew.nonce);
        const seen = { auth_time: (at += 1) };
        return claims({ nonce: anew.nonce, ...seen })
          .setIssuedAt(at)
          .sign(keys.privateKey);
      };
      expect(await acting('--flag', '1')).toMatchObject({ id: `${url}#s1` });
      expect(await acting('--flag', '2')).toMatchObject({ id: `${url}#s1` });
      const digests = asked.map((nonce) => nonce?.split('.')[1]);
      expect(digests[0]).toMatch(/^[\w-]{43}$/);
      expect(new Set(digests).size).toBe(2);
      prove = undefined;
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
    });

    it('is recorded in the security log, with each refusal and each proof', async () => {
      await keep(claims({}, { agoS: 3600 }));
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
      roles = [];
      await expect(acting()).rejects.toThrow('has no role');
      [roles, isProved] = [[{ role: 'admin' }], false];
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      prove = () => claims({}, { agoS: 3600 }).sign(keys.privateKey);
      await expect(acting()).rejects.toThrow('no proof of presence');
      prove = (_issuer, anew) => claims({ nonce: anew.nonce }).sign(keys.privateKey);
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
      const { hash } = (await signedIn(issuer())) ?? {};
      ended.add(hash?.toString('hex') ?? '');
      await expect(acting()).rejects.toThrow('no one is signed in');
      const events = ['refused', 'refused', 'presence_not_proved', 'presence_proved', 'refused'];
      expect(acts).toEqual(events.map((event) => [event, `${url}#s1`, 'fee set']));
    });

    it('cannot use a proof that is another person’s, old, used before or of another command', async () => {
      await keep(claims({}, { agoS: 3600 }));
      isProved = false;
      const again = Math.floor(Date.now() / 1000);
      provedAtMs = again * 1000;
      for (const [anew, why] of [
        [claims({ nonce: 'another' }), 'of another sign-in'],
        [claims({}, { agoS: 3600 }), 'no proof of presence'],
        // The issuer saw the person five seconds ago, before this sign-in began, or gives no time because it never
        // asked.
        [claims({}, { agoS: 5 }), 'no proof of presence'],
        [claims({ auth_time: undefined }), 'no proof of presence'],
        [claims({ auth_time: again }).setIssuedAt(again), 'no proof of presence'],
        [claims().setSubject('s2'), 'nothing was done'],
      ] as const) {
        prove = () => anew.sign(keys.privateKey);
        await expect(acting()).rejects.toThrow(why);
      }
    });
  });

  describe('and a person named in the command', () => {
    it('must match an id of the issuer exactly if one is set', () => {
      const people = [`${url}#s1`, `${url}/#s1`];
      assertOfIssuer(people);
      setIssuer();
      assertOfIssuer([`${url}#s1`]);
      expect(() => {
        assertOfIssuer(people);
      }).toThrow(`${url}/#s1 is not an ID of the configured issuer`);
    });
  });

  describe('under npm start', () => {
    const run = async (subject = 'machine:asha') => {
      const owner = claims({ auth_time: undefined }).setSubject(subject);
      const owner_token = await owner.sign(keys.privateKey);
      const text = JSON.stringify({
        oidc_issuer: url,
        oidc_step_up_acr: ['phr', 'pwd'],
        owner_token,
      });
      await writeFile(join(folder, 'run.json'), text);
    };

    it('is the machine’s owner, whatever name is typed', async () => {
      await run();
      const owner = { kind: 'operator', id: `${url}#machine:asha`, holder: userAtHost() };
      expect(await acting()).toEqual(owner);
      expect(await acting('--as', 'joseph')).toEqual(owner);
    });

    it('is the signed-in person, with their roles and a fresh sign-in, whatever name is typed', async () => {
      await run();
      await keep(claims());
      expect(await acting('--as', 'joseph')).toEqual({ kind: 'operator', id: `${url}#s1` });
      roles = [{ role: 'viewer' }];
      await expect(acting()).rejects.toThrow('Amina has no role that permits this');
      roles = [{ role: 'admin' }];
      isProved = false;
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
    });

    it('is not the owner if the owner token is a person’s, forged or missing', async () => {
      await run('s1');
      await expect(acting()).rejects.toThrow('names no owner of this machine');
      const text = JSON.stringify({ oidc_issuer: url, owner_token: 'made.up.text' });
      await writeFile(join(folder, 'run.json'), text);
      await expect(acting()).rejects.toThrow('names no owner of this machine');
      await writeFile(join(folder, 'run.json'), JSON.stringify({ oidc_issuer: url }));
      await expect(acting('--as', 'asha')).rejects.toThrow('--as: OIDC_ISSUER is set');
      await writeFile(join(folder, 'run.json'), '{');
      await expect(acting()).rejects.toThrow('run.json is not as npm start writes it');
    });

    it('is not the owner by a forged run.json, even for a command that only shows something', async () => {
      const showing = async () => {
        let isShown = false;
        const command = new Command('show').action(() => {
          isShown = true;
        });
        await new Command()
          .hook('preAction', (_program, of) => settleWhoActs(of, ports()))
          .addCommand(command)
          .parseAsync(['show'], { from: 'user' });
        return isShown;
      };
      issuers = new Set([url]);
      await run();
      expect(await showing()).toBe(true);
      const forged = JSON.stringify({ oidc_issuer: url, owner_token: 'made.up.text' });
      await writeFile(join(folder, 'run.json'), forged);
      await expect(showing()).rejects.toThrow('names no owner of this machine');
      await run();
      issuers = new Set([url, 'https://id.example']);
      await expect(showing()).rejects.toThrow('no one is signed in');
    });

    it('may use a proof of the demo’s provider, but none that a forged run.json allows', async () => {
      await run();
      await keep(claims({ acr: 'pwd' }));
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
      issuers = new Set([url, 'https://id.example']);
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      issuers = new Set([url]);
      const forged = { oidc_issuer: url, oidc_step_up_acr: ['any'] };
      await writeFile(join(folder, 'run.json'), JSON.stringify(forged));
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      const owned = { ...forged, owner_token: 'made.up.text' };
      await writeFile(join(folder, 'run.json'), JSON.stringify(owned));
      await expect(acting()).rejects.toThrow('names no owner of this machine');
    });

    it('must use a passkey once there is live data', async () => {
      await run();
      isLive = true;
      await keep(claims({ acr: 'pwd' }));
      await expect(acting()).rejects.toThrow('npx pesapost login --fresh');
      await keep(claims());
      expect(await acting()).toMatchObject({ id: `${url}#s1` });
    });

    it('is checked with no issuer if the stores are not those of that start', async () => {
      const stores = {
        eventstore_url: 'esdb://127.0.0.1:1?tls=false',
        database_url: 'postgres://a@b/c',
      };
      await writeFile(join(folder, 'run.json'), JSON.stringify({ oidc_issuer: url, ...stores }));
      const asked = () => issuerOf(settingsOrRefused());
      process.env['EVENTSTORE_URL'] = stores.eventstore_url;
      process.env['DATABASE_URL'] = stores.database_url;
      process.env['MASTER_KEY'] = `k1:${Buffer.alloc(32).toString('base64')}`;
      expect(asked()).toMatchObject({ url });
      process.env['DATABASE_URL'] = 'postgres://a@b/d';
      expect(asked()).toBeUndefined();
    });

    it('is checked with the issuer and the client that run.json names', async () => {
      const text = { oidc_issuer: url, oidc_cli_client_id: 'ours', oidc_step_up_acr: ['phr'] };
      await writeFile(join(folder, 'run.json'), JSON.stringify(text));
      expect(issuerOf(settingsOrRefused())).toEqual({
        url,
        clientId: 'ours',
        stepUpAcr: ['phr'],
        owner: undefined,
      });
      setIssuer();
      process.env['OIDC_CLI_CLIENT_ID'] = 'others';
      expect(issuerOf(settingsOrRefused())).toMatchObject({ url, clientId: 'others' });
    });
  });

  it('cannot be identified by an issuer that redirects, or whose keys could be changed on the way', async () => {
    await keep(claims());
    movedTo = '/elsewhere';
    await expect(signedIn(issuer())).rejects.toThrow('does not answer as one');
    const secure = { ...issuer(), url: 'https://id.example' };
    await keepToken(secure, await claims().setIssuer(secure.url).sign(keys.privateKey));
    const document = { issuer: secure.url, jwks_uri: `${url}/keys` };
    const answers = jest.spyOn(globalThis, 'fetch').mockResolvedValueOnce(Response.json(document));
    await expect(signedIn(secure)).rejects.toThrow('does not answer as one');
    answers.mockRestore();
  });

  it('cannot be identified if the issuer does not answer', async () => {
    const away = { ...issuer(), url: 'http://127.0.0.1:1' };
    const token = await claims().setIssuer(away.url).sign(keys.privateKey);
    await keepToken(away, token);
    await expect(signedIn(away)).rejects.toThrow('does not answer as one');
  });
});
