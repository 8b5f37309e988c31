import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, readEventStoreUrl } from '#infra/runtime';
import { connectionLimits } from '#shared/http';
import { describe, expect, it } from '@jest/globals';
import {
  addressIn,
  compose,
  environmentIn,
  interpolated,
  networksOf,
  services,
} from './compose.js';

/** The rules of docker-compose.yml for networks, TLS and passwords. */
const text = (file: string): string => readFileSync(join(process.cwd(), file), 'utf8');
const stores = ['eventstore', 'postgres', 'redis'];
const processes = ['api', 'worker', 'projector'];
const sharedBy = (one: string, other: string): readonly string[] =>
  networksOf(one).filter((network) => networksOf(other).includes(network));

describe('the networks of docker-compose.yml', () => {
  it('publish only port 443 of the proxy', () => {
    const published = services.flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, interpolated(port)]),
    );
    expect(published).toEqual([['proxy', '0.0.0.0:443:443']]);
  });

  it('keep the proxy and the simulator away from the stores', () => {
    for (const store of stores) {
      expect(networksOf(store)).toEqual(['stores']);
      for (const outsider of ['proxy', 'simulator'])
        expect([outsider, store, ...sharedBy(outsider, store)]).toEqual([outsider, store]);
    }
    expect(sharedBy('proxy', 'api')).toContain('edge');
    expect(sharedBy('proxy', 'simulator')).toEqual(['rail']);
    const onEdge = services
      .map(([name]) => name)
      .filter((name) => sharedBy(name, 'proxy').length > 0);
    expect(onEdge.sort()).toEqual(['api', 'proxy', 'simulator', 'worker']);
  });

  it('do not lead outside from the stores, the rail and the admin ports', () => {
    for (const network of ['stores', 'rail', 'admin'])
      expect([network, compose.networks[network]?.internal]).toEqual([network, true]);
    const used = new Set(services.flatMap(([name]) => networksOf(name)));
    expect([...used].sort()).toEqual(Object.keys(compose.networks).sort());
  });

  it('expose an admin port only on the network of Prometheus', () => {
    for (const name of processes)
      expect([name, environmentIn(name)['ADMIN_HOST']]).toEqual([name, addressIn('admin', name)]);
    const onAdmin = services
      .map(([name]) => name)
      .filter((name) => networksOf(name).includes('admin'));
    expect(onAdmin.sort()).toEqual([...processes].sort());
  });

  it('name the proxy and the simulator by the addresses that they have', () => {
    for (const name of processes)
      expect(environmentIn(name)).toMatchObject({
        TRUSTED_PROXIES: addressIn('edge', 'proxy'),
        RAIL_MPESA_DEMO_CALLBACK_IPS: addressIn('rail', 'simulator'),
      });
    expect(text('docker/haproxy.cfg')).toContain(
      `  server api ${String(addressIn('edge', 'api'))}:8080\n`,
    );
    const subnet = compose.networks['stores']?.ipam?.config[0].subnet ?? '';
    expect(text('docker/pg_hba.conf')).toMatch(
      new RegExp(`^hostssl pesapost +pesapost,pesapost_owner +${subnet} `, 'm'),
    );
  });
});

describe('the stores of docker-compose.yml', () => {
  it.each([...processes, 'migrate'])('have TLS and a password for %s', (name) => {
    const env = environmentIn(name);
    const store = readEventStoreUrl(env['EVENTSTORE_URL'] ?? '');
    expect(store).toMatchObject({ verifiesServers: true, authorityFile: '/authority/ca.crt' });
    const database = new URL(env['DATABASE_URL'] ?? '');
    expect(database.searchParams.get('sslmode')).toBe('verify-full');
    const redis = new URL(env['REDIS_URL'] ?? '');
    expect(redis.protocol).toBe('rediss:');
    for (const url of [new URL(env['EVENTSTORE_URL'] ?? ''), database, redis])
      expect([url.hostname, url.password !== '']).toEqual([url.hostname, true]);
  });

  it('serve nothing without TLS', () => {
    const { environment = {} } = compose.services['eventstore'] ?? {};
    expect(environment).not.toHaveProperty('EVENTSTORE_INSECURE');
    expect(compose.services['postgres']?.command).toContain('--ssl=on');
    expect(text('docker/pg_hba.conf')).not.toMatch(/^(host|hostnossl)\s/m);
    expect(text('docker/redis.sh')).toContain('--port 0 ');
  });

  it('pass the rules of live mode', () => {
    const live = {
      RAIL_MPESA_LIVE_URL: 'https://api.safaricom.co.ke',
      RAIL_MPESA_LIVE_SHORTCODE: '174379',
      RAIL_MPESA_LIVE_PASSKEY: 'passkey',
      RAIL_MPESA_LIVE_CONSUMER_KEY: 'key',
      RAIL_MPESA_LIVE_CONSUMER_SECRET: 'secret',
      RAIL_MPESA_LIVE_CALLBACK_IPS: '196.201.214.0/24',
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'pesapost',
    };
    for (const name of processes)
      expect(() => loadSettings({ ...environmentIn(name), ...live })).not.toThrow();
  });
});

it('the proxy waits longer than the API, equally long for a head, and ends after requests in flight', () => {
  const configuration = text('docker/haproxy.cfg');
  const seconds = (name: string): number =>
    Number(new RegExp(`^  timeout ${name} (\\d+)s$`, 'm').exec(configuration)?.[1]);
  const { railPushTimeoutMs } = loadSettings(environmentIn('api'));
  expect(seconds('http-request') * 1000).toBe(connectionLimits.headersTimeoutMs);
  expect(seconds('client') * 1000).toBeGreaterThan(connectionLimits.requestTimeoutMs);
  expect(seconds('server') * 1000).toBeGreaterThan(railPushTimeoutMs + 5000);
  const [, stopping] = /^ {2}hard-stop-after (\d+)s$/m.exec(configuration) ?? [];
  const [, grace] = /-(\d+)s\}$/.exec(compose.services['proxy']?.stop_grace_period ?? '') ?? [];
  expect(Number(stopping) * 1000).toBeGreaterThanOrEqual(railPushTimeoutMs + 5000);
  expect(Number(grace)).toBeGreaterThan(Number(stopping));
});

it('BASE_URL is required', () => {
  for (const name of [...processes, 'certificates'])
    expect(compose.services[name]?.environment?.['BASE_URL']).toMatch(/^\$\{BASE_URL:\?/);
});
