import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import { loadSettings } from '#infra/runtime';
import { childEnvironment } from './children/environment.js';
import { choosePorts } from './ports.js';
import { freePort } from '#infra/local-servers';

describe('the ports of a start', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const take = async (port: number): Promise<void> => {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  };
  const choose = (ports: Record<string, number>, withSimulator = true) =>
    choosePorts(
      loadSettings(
        Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      ),
      withSimulator,
    );

  it('are free ones, each another, where 0 is asked for', async () => {
    const ports = await choose({ PORT: 0, ADMIN_PORT: 0, SIMULATOR_PORT: 0 });
    expect(new Set(Object.values(ports)).size).toBe(3);
    expect(Object.values(ports)).not.toContain('0');
  });

  it('are refused by name where a program has one', async () => {
    const taken = await freePort();
    await take(taken);
    for (const name of ['PORT', 'ADMIN_PORT', 'SIMULATOR_PORT']) {
      const ports = { PORT: 0, ADMIN_PORT: 0, SIMULATOR_PORT: 0, [name]: taken };
      await expect(choose(ports)).rejects.toThrow(
        new RegExp(`^${name}: port ${taken} is taken by another program: `),
      );
    }
  });

  it('are refused where two settings name the same', async () => {
    const port = await freePort();
    await expect(choose({ PORT: port, ADMIN_PORT: port, SIMULATOR_PORT: 0 })).rejects.toThrow(
      `ADMIN_PORT: ${port} is PORT already`,
    );
  });

  it('leave the simulator’s alone where it does not run', async () => {
    const taken = await freePort();
    await take(taken);
    const ports = await choose({ PORT: 0, ADMIN_PORT: 0, SIMULATOR_PORT: taken }, false);
    expect(ports.SIMULATOR_PORT).toBe(String(taken));
  });
});

describe('the public address', () => {
  const hostOf = (env: Readonly<Record<string, string>>) =>
    childEnvironment({
      settings: loadSettings(env),
      dataDir: '/data',
      masterKey: 'k',
      sealKey: 's',
      urls: { eventstore: '', database: '', redis: '' },
    })['HOST'];

  it('is this machine’s alone, unless HOST says otherwise', () => {
    expect(hostOf({})).toBe('127.0.0.1');
    expect(hostOf({ BASE_URL: 'https://pay.example' })).toBe('127.0.0.1');
    expect(hostOf({ HOST: '0.0.0.0' })).toBe('0.0.0.0');
  });
});
