import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import { loadSettings } from '#infra/runtime';
import { childEnvironment } from './children/environment.js';
import { choosePorts } from './ports.js';
import { freePort } from '#infra/local-servers';

const anyPorts = { PORT: 0, ADMIN_PORT: 0, SIMULATOR_PORT: 0, SIMULATOR_AIRTEL_PORT: 0 };

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
  const choose = (ports: Record<string, number>, simulators = { daraja: true, airtel: true }) =>
    choosePorts(
      loadSettings(
        Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      ),
      simulators,
    );

  it('are free and all different if 0 is requested', async () => {
    const ports = await choose(anyPorts);
    expect(new Set(Object.values(ports)).size).toBe(4);
    expect(Object.values(ports)).not.toContain('0');
  });

  it('are refused by name if another program uses one', async () => {
    const taken = await freePort();
    await take(taken);
    for (const name of Object.keys(anyPorts)) {
      const ports = { ...anyPorts, [name]: taken };
      await expect(choose(ports)).rejects.toThrow(
        new RegExp(`^${name}: port ${taken} is taken by another program: `),
      );
    }
  });

  it('are refused if two settings name the same one', async () => {
    const port = await freePort();
    await expect(choose({ ...anyPorts, PORT: port, ADMIN_PORT: port })).rejects.toThrow(
      `ADMIN_PORT: ${port} is PORT already`,
    );
  });

  it.each(['daraja', 'airtel'] as const)(
    'leave the %s simulator’s port alone if it does not run',
    async (name) => {
      const setting = { daraja: 'SIMULATOR_PORT', airtel: 'SIMULATOR_AIRTEL_PORT' } as const;
      const taken = await freePort();
      await take(taken);
      const ports = { ...anyPorts, [setting[name]]: taken };
      const chosen = await choose(ports, { daraja: true, airtel: true, [name]: false });
      expect(chosen[setting[name]]).toBe(String(taken));
    },
  );
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
