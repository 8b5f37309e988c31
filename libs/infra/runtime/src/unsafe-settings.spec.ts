import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { generatedKeyId, holdsEverybody, loadSettings, unsafeRules } from './index.js';
import { problemsOf } from '../test/problems-of.js';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const issuer = { OIDC_ISSUER: 'https://id.example/realm/', OIDC_CLIENT_ID: 'portal' };
const safe = {
  ...issuer,
  BASE_URL: 'https://pay.example',
  MASTER_KEY: key('k1'),
  EVENTSTORE_URL: 'esdb://a.example:2113,b.example:2113',
  DATABASE_URL: 'postgres://u:p@db.example/d?sslmode=verify-full',
  REDIS_URL: 'rediss://redis.example',
  TRUSTED_PROXIES: '10.0.0.0/8',
  RAIL_MPESA_LIVE_URL: 'https://api.safaricom.co.ke',
  RAIL_MPESA_LIVE_SHORTCODE: '600100',
  RAIL_MPESA_LIVE_PASSKEY: 'p',
  RAIL_MPESA_LIVE_CONSUMER_KEY: 'k',
  RAIL_MPESA_LIVE_CONSUMER_SECRET: 's',
  RAIL_MPESA_LIVE_CALLBACK_IPS: '196.201.214.0/24',
};

describe('live mode', () => {
  it('accepts safe settings', () => {
    expect(problemsOf(safe)).toEqual([]);
    expect(problemsOf({ ...safe, ...issuer, PORTAL_URL: 'https://pay.example/' })).toEqual([]);
  });

  it.each([
    ['http-base-url', { BASE_URL: 'http://pay.example' }],
    ['http-base-url', { BASE_URL: '' }],
    ['http-rail-url', { RAIL_MPESA_LIVE_URL: 'http://api.safaricom.co.ke' }],
    ['stores-without-tls', { EVENTSTORE_URL: 'esdb://a.example:2113?tls=false' }],
    ['stores-without-tls', { EVENTSTORE_URL: 'kurrentdb://127.0.0.1,a.example?TLS=false' }],
    ['stores-without-tls', { DATABASE_URL: 'postgres://u:p@db.example/d' }],
    ['stores-without-tls', { DATABASE_URL: 'postgres://u:p@db.example/d?sslmode=prefer' }],
    ['stores-without-tls', { DATABASE_DIRECT_URL: 'postgres://u:p@db.example/d' }],
    ['stores-without-tls', { DATABASE_URL: 'postgres://u:p@localhost/d?host=db.example' }],
    [
      'stores-without-tls',
      { EVENTSTORE_URL: 'esdb://a.example:2113?tls=true&tlsVerifyCert=false' },
    ],
    ['stores-without-tls', { DATABASE_URL: 'postgres://u:p@db.example/d?sslmode=no-verify' }],
    ...[
      ...['sslmode=', 'sslmode=verify-full&sslmode=disable', 'host=localhost&host=b.example'],
      ...['sslmode=require&uselibpqcompat=true', 'sslmode=verify-ca&uselibpqcompat=true'],
    ].map((query): [string, Record<string, string>] => [
      'stores-without-tls',
      { DATABASE_URL: `postgres://u:p@db.example/d?${query}` },
    ]),
    ['stores-without-tls', { REDIS_URL: 'redis://redis.example' }],
    ['callbacks-from-everybody', { RAIL_MPESA_LIVE_CALLBACK_IPS: '196.201.214.0/24, 0.0.0.0/0' }],
    ['callbacks-from-everybody', { RAIL_MPESA_LIVE_CALLBACK_IPS: '::/0' }],
    ['callbacks-from-everybody', { RAIL_MPESA_LIVE_CALLBACK_IPS: '0::ffff:0:0/96' }],
    ['proxies-everybody', { TRUSTED_PROXIES: '128.0.0.0/1,0.0.0.0/1' }],
    ['webhooks-to-private-addresses', { WEBHOOK_ALLOW_PRIVATE: 'on' }],
    ['generated-master-key', { MASTER_KEY: key(generatedKeyId) }],
    ['no-issuer', { OIDC_ISSUER: '', OIDC_CLIENT_ID: '' }],
    ['http-issuer', { OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'portal' }],
    ['http-portal-url', { PORTAL_URL: 'http://pay.example', ...issuer }],
    ['weak-presence', { OIDC_STEP_UP_ACR: 'gold', ...issuer }],
    ['weak-presence', { OIDC_STEP_UP_ACR: 'phr any', ...issuer }],
    ['http-notify-url', { NOTIFY_URL: 'http://chat.example/hook' }],
  ])('rejects settings by rule %s, unless the rule is allowed: %j', (rule, unsafe) => {
    const env = { ...safe, ...unsafe };
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(new RegExp(`^${Object.keys(unsafe)[0]}: .*ALLOW_UNSAFE=${rule} `)),
    ]);
    expect(problemsOf({ ...env, ALLOW_UNSAFE: rule })).toEqual([]);
    const others = unsafeRules.filter((other) => other !== rule).join(', ');
    expect(problemsOf({ ...env, ALLOW_UNSAFE: others })).toHaveLength(1);
  });

  it('requires a passkey for presence if OIDC_STEP_UP_ACR is empty, unless weak-presence is allowed', () => {
    const provedBy = (env: Record<string, string>) => loadSettings(env).oidc?.stepUpAcr;
    expect(provedBy(safe)).toEqual(['phrh', 'phr']);
    expect(provedBy({ ...safe, OIDC_STEP_UP_ACR: '' })).toEqual(['phrh', 'phr']);
    expect(provedBy({ ...safe, OIDC_STEP_UP_ACR: 'phr' })).toEqual(['phr']);
    expect(provedBy({ ...safe, ALLOW_UNSAFE: 'weak-presence' })).toEqual([]);
    const demo = Object.entries(safe).filter(([name]) => !name.startsWith('RAIL_MPESA_LIVE'));
    expect(provedBy(Object.fromEntries(demo))).toEqual([]);
  });

  it.each([
    ...['http://localhost:8095', 'https://127.0.0.1/id', 'https://[::1]:8095'],
    ...[
      'http://localhost.:8095',
      'https://id.localhost',
      'http://0.0.0.0:8095',
      'http://[::]:8095',
    ],
    ...['https://[::ffff:127.0.0.1]', 'http://127.1:8095', 'http://2130706433/id'],
  ])('rejects an issuer on this machine, even if every rule is allowed: %s', (url) => {
    const env = { ...safe, ...issuer, OIDC_ISSUER: url, ALLOW_UNSAFE: unsafeRules.join(',') };
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^OIDC_ISSUER: is on this machine.*refused with live rail settings/),
    ]);
  });

  it.each([
    { DATABASE_URL: 'postgres://u:p@127.0.0.1/d' },
    { DATABASE_URL: 'postgres:///d?host=/run/postgresql' },
    { DATABASE_URL: 'postgres://u:p@db.example/d?ssl=true' },
    { DATABASE_URL: 'postgres://u:p@db.example/d?sslmode=require' },
    { DATABASE_URL: 'postgres://u:p@db.example/d?sslmode=verify-full&uselibpqcompat=true' },
    { REDIS_URL: 'redis://[::1]:6379' },
    { EVENTSTORE_URL: 'esdb://localhost:2113?tls=false' },
    { MASTER_KEY: `${key('k2')},${key(generatedKeyId)}` },
  ])('accepts %j', (settings) => {
    expect(problemsOf({ ...safe, ...settings })).toEqual([]);
  });

  it('reports all problems at once, including unreadable settings, and repeats no password', () => {
    const problems = problemsOf({
      ...safe,
      PORT: 'x',
      BASE_URL: 'http://pay.example',
      MASTER_KEY: '',
      DATABASE_URL: 'postgres://u:secretpassword@db.example/d',
      EVENTSTORE_URL: 'esdb://u:secretpassword@a.example?tls=false',
      REDIS_URL: 'redis://:secretpassword@redis.example',
      RAIL_MPESA_LIVE_CALLBACK_IPS: '0.0.0.0/0',
      TRUSTED_PROXIES: '0.0.0.0/0',
      WEBHOOK_ALLOW_PRIVATE: 'on',
    });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'BASE_URL',
      'DATABASE_URL',
      'EVENTSTORE_URL',
      'MASTER_KEY',
      'MASTER_KEY',
      'PORT',
      'RAIL_MPESA_LIVE_CALLBACK_IPS',
      'REDIS_URL',
      'TRUSTED_PROXIES',
      'WEBHOOK_ALLOW_PRIVATE',
    ]);
    expect(problems.join('\n')).not.toContain('secretpassword');
  });

  it('reports which rules exist if one is misspelt', () => {
    expect(problemsOf({ ...safe, ALLOW_UNSAFE: 'http-base-url,everything' })).toEqual([
      expect.stringMatching(/^ALLOW_UNSAFE: .*http-base-url, http-rail-url/),
    ]);
  });
});

it('demo mode accepts unsafe settings', () => {
  expect(
    problemsOf({
      TRUSTED_PROXIES: '0.0.0.0/0',
      WEBHOOK_ALLOW_PRIVATE: 'on',
      REDIS_URL: 'redis://redis.example',
    }),
  ).toEqual([]);
});

it.each([
  [['0.0.0.0/0'], true],
  [['::/0'], true],
  [['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/2'], true],
  [['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/3'], false],
  [['::/1', '8000::/1'], true],
  [['8000::/1', '::ffff:0:0/97'], false],
  [['0::ffff:0:0/97', '::ffff:128.0.0.0/97'], true],
  [['1.2.3.4', '10.0.0.0/8', 'fe80::1'], false],
  [['255.255.255.255', '64:ff9b::192.0.2.1'], false],
  [[], false],
])('%j cover every address of a family: %s', (ranges, expected) => {
  expect(holdsEverybody(ranges)).toBe(expected);
});
