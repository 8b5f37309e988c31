import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isPassword } from '#shared/signing';
import { decodeJwt } from 'jose';
import { DataDirectory } from '../data-directory/data-directory.js';
import { StartRefused } from '../refusal.js';
import { type RunCommand } from './command-line.js';
import { readDemoFile, writeDemoFile } from './demo-file.js';
import { type DemoIdentity, demoIdentity, demoRoles } from './demo-people.js';

const portalUrl = 'http://localhost:8080/portal';

/** Answers like the command line: a role that needs two admins is proposed. */
class FakeCommandLine {
  readonly said: { readonly who: string; readonly words: readonly string[] }[] = [];
  granted: { readonly role: string; readonly merchant_id?: string }[] = [];
  refusedAt = '';

  readonly runAs = (signIn?: string): Promise<RunCommand> => {
    const who = signIn === undefined ? 'owner' : (decodeJwt(signIn).sub ?? '');
    return Promise.resolve(this.as(who));
  };

  private as(who: string): RunCommand {
    return async (...words) => {
      this.said.push({ who, words });
      if (words[1] === this.refusedAt) throw new StartRefused('not that');
      if (words[1] !== 'grant') return {};
      this.granted = JSON.parse(await readFile(words[3] ?? '', 'utf8')) as typeof this.granted;
      const takesTwo = this.granted.filter(({ role }) => ['finance', 'owner'].includes(role));
      const roles = takesTwo.map((_one, index) => ({ proposal_id: `p${index}` }));
      return { roles: [...roles, { status: 'granted' }] } as never;
    };
  }
}

describe('the demo’s people', () => {
  let directory: DataDirectory;
  const lines: string[] = [];
  beforeEach(async () => {
    directory = await DataDirectory.open(await mkdtemp(join(tmpdir(), 'pesapost-people-')));
    lines.length = 0;
  });
  afterEach(() => rm(directory.path, { recursive: true, force: true }));

  const roles = (cli: FakeCommandLine, identity: DemoIdentity, merchantId = 'm1') =>
    demoRoles({
      directory,
      identity,
      merchantId,
      runAs: cli.runAs,
      say: (line) => lines.push(line),
    });
  const people = async () => (await readDemoFile(directory)).portal?.people ?? [];

  it('are kept from start to start: ids, passwords, keys and the issuer', async () => {
    const first = await demoIdentity(directory, portalUrl);
    const before = await people();
    const second = await demoIdentity(directory, 'http://localhost:9000/portal');
    const lasting = ({ ownerToken: _token, signIn: _signIn, ...kept }: DemoIdentity) => kept;
    expect(lasting(second)).toEqual(lasting(first));
    expect(first.issuer).toBe(`http://localhost:${first.port}`);
    expect(await people()).toEqual(before);
    expect((await readDemoFile(directory)).portal?.url).toBe('http://localhost:9000/portal');
    expect((await stat(first.file)).mode & 0o777).toBe(0o600);
    const { sub, aud, iss } = decodeJwt(second.ownerToken);
    const name = `machine:${userInfo().username}`;
    expect({ sub, aud, iss }).toEqual({ sub: name, aud: 'pesapost-cli', iss: first.issuer });
    for (const { login, password } of before) {
      const known = first.people.find((each) => each.login === login);
      expect(known?.password_hash).not.toContain(password);
      expect(await isPassword(password, known?.password_hash)).toBe(true);
    }
  });

  it('are added if they are missing, and a person with a new password keeps the same id', async () => {
    const first = await demoIdentity(directory, portalUrl);
    const [one, ...others] = await people();
    if (!one) throw new Error('there is nobody');
    const changed = [{ ...one, password: 'another one' }, ...others.slice(1)];
    await writeDemoFile(directory, { portal: { url: portalUrl, people: changed } });
    const second = await demoIdentity(directory, portalUrl);
    const [known] = second.people;
    expect(known?.subject).toBe(first.people[0]?.subject);
    expect(await isPassword('another one', known?.password_hash)).toBe(true);
    expect((await people()).map(({ login }) => login).sort()).toEqual(
      first.people.map(({ login }) => login).sort(),
    );
  });

  it('are known by the provider’s port: a start is refused if another program uses it', async () => {
    const { port } = await demoIdentity(directory, portalUrl);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await expect(demoIdentity(directory, portalUrl)).rejects.toThrow(StartRefused);
    server.close();
  });

  it('get their roles by two admins, once', async () => {
    const identity = await demoIdentity(directory, portalUrl);
    const cli = new FakeCommandLine();
    await roles(cli, identity);
    const [admin, admin2] = identity.people.map(({ subject }) => subject);
    expect(cli.said.map(({ who, words }) => [who, words[1]])).toEqual([
      ['owner', 'first-admins'],
      [admin, 'grant'],
      [admin2, 'confirm'],
    ]);
    expect(cli.said[2]?.words.slice(2)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
    const held = cli.granted.map(({ role, merchant_id: at = '' }) => `${at} ${role}`.trim());
    expect(held.sort()).toEqual([
      ...['auditor', 'finance', 'finance'],
      ...['m1 developer', 'm1 finance', 'm1 finance', 'm1 owner', 'support', 'viewer'],
    ]);
    expect((await people()).find(({ role }) => role === 'owner')?.merchant_id).toBe('m1');
    const next = new FakeCommandLine();
    await roles(next, await demoIdentity(directory, portalUrl));
    expect(next.said).toEqual([]);
  });

  it('get their roles at a later start if one was killed in between, and at another merchant', async () => {
    const identity = await demoIdentity(directory, portalUrl);
    const killed = new FakeCommandLine();
    killed.refusedAt = 'confirm';
    await roles(killed, identity);
    expect(lines.at(-1)).toBe('the demo’s people get no roles: not that');
    const next = new FakeCommandLine();
    next.refusedAt = 'first-admins';
    await roles(next, identity);
    expect(next.said.map(({ words }) => words[1])).toEqual(['first-admins', 'grant', 'confirm']);
    const moved = new FakeCommandLine();
    await roles(moved, identity, 'm2');
    expect(moved.granted.filter(({ merchant_id: at }) => at === 'm2')).toHaveLength(4);
  });
});
