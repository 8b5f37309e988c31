import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { type HeldRole } from '#domain/people';
import { Command } from 'commander';
import { keepToken, settleWhoActs, signedIn, userAtHost } from './identity.js';
import { operatorMetadata, whoOption } from './operator.js';

describe('who acts on the command line', () => {
  let server: Server;
  let url: string;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let folder: string;
  let roles: readonly HeldRole[];
  const before = { ...process.env };

  beforeAll(async () => {
    keys = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' };
    server = createServer((request, response) => {
      const isKeys = request.url === '/keys';
      const answer = isKeys ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` };
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
    delete process.env['OIDC_ISSUER'];
    delete process.env['OIDC_CLIENT_ID'];
  });
  afterEach(async () => {
    process.env = { ...before };
    await rm(folder, { recursive: true, force: true });
  });

  const claims = (audience = 'pesapost-cli', seconds = 60) =>
    new SignJWT({ name: 'Amina' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(url)
      .setSubject('s1')
      .setAudience(audience)
      .setExpirationTime(Math.floor(Date.now() / 1000) + seconds);
  const issuer = () => ({ url, isRequired: true });
  const setIssuer = () => {
    process.env['OIDC_ISSUER'] = url;
    process.env['OIDC_CLIENT_ID'] = 'portal';
  };
  const acting = async (...words: string[]) => {
    const command = new Command('set').exitOverride().addOption(whoOption());
    let metadata: ReturnType<typeof operatorMetadata> | undefined;
    command.action((options: { readonly as: string }) => {
      metadata = operatorMetadata(options);
    });
    const program = new Command()
      .exitOverride()
      .hook('preAction', (_program, of) => settleWhoActs(of, () => Promise.resolve(roles)))
      .addCommand(new Command('fee').exitOverride().addCommand(command));
    await program.parseAsync(['fee', 'set', ...words], { from: 'user' });
    return metadata?.actor;
  };

  it('is who the issuer says is signed in, kept for the user alone, until it is over', async () => {
    await keepToken(issuer(), await claims().sign(keys.privateKey));
    expect(await signedIn(issuer())).toMatchObject({
      ...{ person: { issuer: url, subject: 's1' }, name: 'Amina' },
    });
    const file = join(folder, 'pesapost', 'identities.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(url);
    await keepToken(issuer(), await claims('pesapost-cli', -1).sign(keys.privateKey));
    expect(await signedIn(issuer())).toBeUndefined();
    await keepToken(issuer(), undefined);
    expect(await readFile(file, 'utf8')).toBe('{}\n');
  });

  it('is nobody by a token of another client, of another key, or of none', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const unsigned = new UnsecuredJWT({ iss: url, sub: 's1', aud: 'pesapost-cli' });
    for (const token of [
      await claims('portal').sign(keys.privateKey),
      await claims().sign(privateKey),
      unsigned.setExpirationTime('1h').encode(),
      'nonsense',
    ]) {
      await keepToken(issuer(), token);
      expect(await signedIn(issuer())).toBeUndefined();
    }
  });

  it('is who is signed in where an issuer is set, and never a name that is typed', async () => {
    setIssuer();
    await expect(acting('--as', 'asha')).rejects.toThrow('--as: where OIDC_ISSUER is set');
    await expect(acting()).rejects.toThrow('nobody is signed in');
    await keepToken(issuer(), await claims().sign(keys.privateKey));
    expect(await acting()).toEqual({ kind: 'operator', id: `${url}#s1` });
  });

  it('may do what their roles permit, and nothing else', async () => {
    setIssuer();
    await keepToken(issuer(), await claims().sign(keys.privateKey));
    for (roles of [[], [{ role: 'finance' }], [{ role: 'owner', merchantId: 'm1' }]] as const)
      await expect(acting()).rejects.toThrow('Amina has no role that permits this');
  });

  it('is whoever is named where no issuer is set, with the machine’s user beside it', async () => {
    expect(await acting('--as', 'asha')).toEqual({
      ...{ kind: 'operator', id: 'asha', holder: userAtHost() },
    });
  });

  it('is under npm start who is signed in, unless somebody is named', async () => {
    await writeFile(join(folder, 'run.json'), JSON.stringify({ oidc_issuer: url }));
    expect(await acting()).toMatchObject({ holder: userAtHost() });
    await keepToken(issuer(), await claims().sign(keys.privateKey));
    expect(await acting()).toEqual({ kind: 'operator', id: `${url}#s1` });
    expect(await acting('--as', 'asha')).toMatchObject({ id: 'asha', holder: userAtHost() });
  });

  it('cannot be told where the issuer does not answer', async () => {
    const away = { url: 'http://127.0.0.1:1', isRequired: true };
    const token = await claims().setIssuer(away.url).sign(keys.privateKey);
    await keepToken(away, token);
    await expect(signedIn(away)).rejects.toThrow('does not answer as one');
  });
});
