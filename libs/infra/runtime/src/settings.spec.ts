import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  givenSettings,
  hasLiveRail,
  loadSettings,
  railSettingNames,
  requireServers,
  settingNames,
  sharedSettings,
  unsafeRules,
} from './index.js';
import { secretNames } from './secret-files.js';
import { problemsOf } from '../test/problems-of.js';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const folder = mkdtempSync(join(tmpdir(), 'pesapost-secrets-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const secretFile = (text: string): string => {
  const path = join(folder, randomUUID());
  writeFileSync(path, text);
  return path;
};
const liveRail = {
  RAIL_MPESA_LIVE_URL: 'https://api.safaricom.co.ke/',
  RAIL_MPESA_LIVE_SHORTCODE: '600100',
  RAIL_MPESA_LIVE_PASSKEY: 'p',
  RAIL_MPESA_LIVE_CONSUMER_KEY: 'k',
  RAIL_MPESA_LIVE_CONSUMER_SECRET: 's',
  RAIL_MPESA_LIVE_CALLBACK_IPS: '196.201.214.0/24, 2001:db8::1',
};
const live = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'portal',
  ...liveRail,
  BASE_URL: 'https://pay.example',
  MASTER_KEY: key('k1'),
};

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(loadSettings({})).toEqual({
      port: 8080,
      adminHost: '127.0.0.1',
      adminPort: 9464,
      baseUrl: 'http://127.0.0.1:8080',
      portalUrl: 'http://localhost:8080',
      notices: { url: undefined, mail: undefined },
      oidc: undefined,
      dataDir: '.data',
      eventstoreUrl: undefined,
      databaseUrl: undefined,
      databaseReadUrl: undefined,
      databaseDirectUrl: undefined,
      databasePoolWrite: 6,
      databasePoolRead: 6,
      redisUrl: undefined,
      migrations: 'at-start',
      masterKeys: undefined,
      embeddedServers: [],
      trustedProxies: [],
      rateLimitV4: { limit: 100, intervalMs: 1000, burst: 200 },
      credentialMemoryCap: undefined,
      rails: {
        mpesa: {
          demo: expect.objectContaining({ url: 'http://127.0.0.1:8099', stepMinor: 1n }) as unknown,
          live: undefined,
        },
        airtel: { demo: undefined, live: undefined },
      },
      railPushTimeoutMs: 10_000,
      railQueryDelaysMs: [75, 180, 600, 1800, 7200, 21_600, 43_200, 86_400].map((s) => s * 1000),
      railReviewAfterMs: 172_800_000,
      railBalanceEveryMs: 86_400_000,
      railBalanceSettleMs: 900_000,
      payoutFloatWaitMs: 86_400_000,
      payoutMaxAgeMs: 259_200_000,
      evidenceRetentionMs: 2562 * 86_400_000,
      readModelMaxAgeMs: 60_000,
      webhookAllowPrivate: undefined,
      allowUnsafe: [],
      simulatorPort: 8099,
      simulatorAirtelPort: 8098,
      simulatorDelayMs: 800,
      v4GaDate: '2026-11-21',
      v3RetireThreshold: 100,
      rateLimitV3Restricted: { limit: 60, intervalMs: 60_000, burst: 60 },
      clockOffsetMs: 0,
      logLevel: 'info',
      auditSealKey: undefined,
      platformTimezone: 'Africa/Nairobi',
    });
  });

  it('name an issuer together with our client id, and the address of the portal', () => {
    const env = { OIDC_ISSUER: 'https://id.example/realm/', OIDC_CLIENT_ID: 'portal' };
    const url = { PORTAL_URL: 'https://people.example/' };
    expect(loadSettings({ ...env, ...url, OIDC_CLIENT_SECRET: 's' })).toMatchObject({
      // Kept exactly: tokens contain this name.
      oidc: { issuer: 'https://id.example/realm/', clientId: 'portal', clientSecret: 's' },
      portalUrl: 'https://people.example',
    });
    expect(loadSettings(env).oidc?.clientSecret).toBeUndefined();
    expect(loadSettings({ BASE_URL: 'https://pay.example/base' }).portalUrl).toBe(
      'https://pay.example',
    );
    expect(problemsOf({ OIDC_ISSUER: 'https://id.example' })).toEqual([
      'OIDC_CLIENT_ID: is required where OIDC_ISSUER is set',
    ]);
    expect(loadSettings({ ...env, ...url, OIDC_STEP_UP_ACR: 'phr, pwd' }).oidc).toMatchObject({
      stepUpAcr: ['phr', 'pwd'],
      commandLineClientId: 'pesapost-cli',
    });
    expect(problemsOf({ OIDC_CLI_CLIENT_ID: 'cli', OIDC_STEP_UP_ACR: 'phr' })).toHaveLength(2);
    expect(problemsOf({ OIDC_CLIENT_ID: 'portal', OIDC_CLIENT_SECRET: 'tell-nobody' })).toEqual([
      expect.stringMatching(/^OIDC_CLIENT_ID: .*OIDC_ISSUER, which is not set/),
      expect.stringMatching(/^OIDC_CLIENT_SECRET: (?!.*tell-nobody)/),
    ]);
    for (const wrong of ['https://pay.example/portal', 'https://a@pay.example', 'localhost:8080'])
      expect(problemsOf({ PORTAL_URL: wrong })).toEqual([expect.stringMatching(/^PORTAL_URL: /)]);
  });

  it('reject an issuer with a query or a fragment, and a hook with a password', () => {
    for (const wrong of ['#a', '?a=1', '#', '?'].map((end) => `https://id.example/${end}`))
      expect(problemsOf({ OIDC_ISSUER: wrong, OIDC_CLIENT_ID: 'portal' })).toEqual([
        expect.stringMatching(/^OIDC_ISSUER: must be an address without/),
      ]);
    const hook = 'https://chat.example/hook?room=1';
    expect(loadSettings({ NOTIFY_URL: hook }).notices.url).toBe(hook);
    expect(problemsOf({ NOTIFY_URL: 'https://u:tell-nobody@chat.example/hook' })).toEqual([
      expect.stringMatching(/^NOTIFY_URL: (?!.*tell-nobody)/),
    ]);
  });

  it('name a mail server with its sender and receivers, and repeat no password', () => {
    const server = 'smtps://u:secretpassword@mail.example:465';
    const whole = `${server}?from=a@example.org&to=b@example.org,c@example.org`;
    expect(loadSettings({ SMTP_URL: whole }).notices.mail).toBe(whole);
    const wrong = [
      '',
      '?from=a@example.org',
      '?from=a@example.org&to=b',
      '?from=a,b&to=c@example.org',
    ];
    for (const query of wrong)
      expect(problemsOf({ SMTP_URL: `${server}${query}` })).toEqual([
        expect.stringMatching(/^SMTP_URL: must name the server, (?!.*secretpassword)/),
      ]);
  });

  it('cannot be changed, at any depth', () => {
    const settings = loadSettings({});
    expect(() => Object.assign(settings, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(settings.rails.mpesa.demo, { url: '' })).toThrow(TypeError);
  });

  it('count as not set if they are empty', () => {
    expect(loadSettings({ PORT: '', DATABASE_URL: ' ', RAIL_MPESA_LIVE_URL: '' })).toEqual(
      loadSettings({}),
    );
  });

  it('report all their problems together, each by name', () => {
    const problems = problemsOf({
      PORT: '70000',
      BASE_URL: 'ftp://x',
      DATABASE_URL: 'postgres://u:secretpassword@h/d',
      REDIS_URL: 'http://:secretpassword@h',
      TRUSTED_PROXIES: '10.0.0.0/33',
      RATE_LIMIT_V4: 'fast',
      RAIL_QUERY_DELAYS: '3m,75s',
      RAIL_PUSH_TIMEOUT: '10',
      V4_GA_DATE: '2026-02-30',
      LOG_LEVEL: 'loud',
      RAIL_MPESA_DEMO_STEP: '0',
    });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'BASE_URL',
      'LOG_LEVEL',
      'MASTER_KEY',
      'PORT',
      'RAIL_MPESA_DEMO_STEP',
      'RAIL_PUSH_TIMEOUT',
      'RAIL_QUERY_DELAYS',
      'RATE_LIMIT_V4',
      'REDIS_URL',
      'TRUSTED_PROXIES',
      'V4_GA_DATE',
    ]);
    expect(problems.join('\n')).not.toContain('secretpassword');
  });

  it.each([
    ['k1', 'each key is written id:base64'],
    [`k1:${randomBytes(31).toString('base64')}`, 'exactly 32 bytes'],
    [`${key('k1')},${key('k1')}`, 'there twice'],
  ])('refuse an invalid master key without repeating it', (text, why) => {
    const [problem = ''] = problemsOf({ MASTER_KEY: text });
    expect(problem).toContain(why);
    expect(problem).not.toContain(text.slice(3) || 'never');
  });

  it('accept several master keys, the first one first', () => {
    const { masterKeys } = loadSettings({ MASTER_KEY: `${key('new')},${key('old')}` });
    expect(masterKeys?.map(({ id, bytes }) => [id, bytes.length])).toEqual([
      ['new', 32],
      ['old', 32],
    ]);
  });

  it('for the live rail are set together or not at all, and name the addresses of its callbacks', () => {
    const { rails } = loadSettings(live);
    expect(rails.mpesa.live).toEqual({
      url: 'https://api.safaricom.co.ke',
      shortcode: '600100',
      passkey: 'p',
      consumerKey: 'k',
      consumerSecret: 's',
      callbackIps: ['196.201.214.0/24', '2001:db8::1'],
      stepMinor: 100n,
    });
    for (const name of Object.keys(liveRail)) {
      const problems = problemsOf({ ...live, [name]: '' });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(new RegExp(`^${name}: is required`));
    }
    expect(problemsOf({ ...live, RAIL_MPESA_LIVE_CALLBACK_IPS: ' , ' })).toHaveLength(1);
  });

  it('for Airtel are set together or not at all, and make the mode live', () => {
    const airtel = {
      RAIL_AIRTEL_LIVE_URL: 'https://openapi.airtelkenya.com/',
      RAIL_AIRTEL_LIVE_CLIENT_ID: 'c',
      RAIL_AIRTEL_LIVE_CLIENT_SECRET: 's',
    };
    const others = Object.fromEntries(
      Object.entries(live).filter(([name]) => !name.startsWith('RAIL_MPESA_')),
    );
    const { rails } = loadSettings({ ...others, ...airtel });
    expect(rails.mpesa.live).toBeUndefined();
    expect(rails.airtel.live).toEqual({
      url: 'https://openapi.airtelkenya.com',
      clientId: 'c',
      clientSecret: 's',
      country: 'KE',
      stepMinor: 100n,
    });
    expect(hasLiveRail(rails)).toBe(true);
    for (const name of Object.keys(airtel))
      expect(problemsOf({ ...others, ...airtel, [name]: '' })).toEqual([
        expect.stringMatching(new RegExp(`^${name}: is required`)),
      ]);
    expect(problemsOf({ ...airtel, CLOCK_OFFSET: '1h' })).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^CLOCK_OFFSET: /),
        expect.stringMatching(/^BASE_URL: must begin with https/),
        expect.stringMatching(/^OIDC_ISSUER: must be set/),
      ]),
    );
    const http = { ...airtel, RAIL_AIRTEL_LIVE_URL: 'http://openapi.airtelkenya.com' };
    expect(problemsOf({ ...others, ...http })).toEqual([
      expect.stringMatching(/^RAIL_AIRTEL_LIVE_URL: must begin with https/),
    ]);
    expect(problemsOf({ ...others, ...airtel, RAIL_AIRTEL_LIVE_COUNTRY: 'UG' })).toEqual([
      'RAIL_AIRTEL_LIVE_COUNTRY: must be KE',
    ]);
    const signing = (which: string) => ({
      ...others,
      ...airtel,
      RAIL_AIRTEL_LIVE_SIGNING: which,
    });
    for (const which of ['collections', 'all'])
      expect(loadSettings(signing(which)).rails.airtel.live).toMatchObject({ signs: which });
    expect(loadSettings(signing('off')).rails.airtel.live).not.toHaveProperty('signs');
    expect(problemsOf(signing('on'))).toEqual([
      'RAIL_AIRTEL_LIVE_SIGNING: must be off, collections or all',
    ]);
    const pin = { RAIL_AIRTEL_LIVE_ENCRYPTED_PIN: 'sealed' };
    const ends = {
      RAIL_AIRTEL_LIVE_SECRET_EXPIRES: '2027-02-28',
      RAIL_AIRTEL_LIVE_PIN_EXPIRES: '2020-01-01',
    };
    // A day in the past is accepted: an alert reports it, and the process must start.
    expect(loadSettings({ ...others, ...airtel, ...pin, ...ends }).rails.airtel.live).toMatchObject(
      {
        secretExpires: '2027-02-28',
        payouts: { encryptedPin: 'sealed', pinExpires: '2020-01-01' },
      },
    );
    expect(problemsOf({ ...others, ...airtel, ...ends })).toEqual([
      'RAIL_AIRTEL_LIVE_PIN_EXPIRES: is set, but RAIL_AIRTEL_LIVE_ENCRYPTED_PIN is not',
    ]);
    for (const name of Object.keys(ends))
      expect(problemsOf({ ...others, ...airtel, ...pin, ...ends, [name]: '90d' })).toEqual([
        `${name}: "90d" must be a date written YYYY-MM-DD`,
      ]);
  });

  it('for a rail may name a till, to which customers pay instead', () => {
    const till = (value: string) => ({ ...live, RAIL_MPESA_LIVE_TILL: value });
    expect(loadSettings(till('832909')).rails.mpesa.live).toMatchObject({
      shortcode: '600100',
      till: '832909',
    });
    expect(loadSettings({ RAIL_MPESA_DEMO_TILL: '832909' }).rails.mpesa.demo).toMatchObject({
      shortcode: '174379',
      till: '832909',
    });
    expect(problemsOf(till('a till'))).toEqual(['RAIL_MPESA_LIVE_TILL: must be 5 to 8 digits']);
    const alone = problemsOf({ RAIL_MPESA_LIVE_TILL: '832909' });
    expect(alone.filter((problem) => problem.startsWith('RAIL_'))).toHaveLength(6);
  });

  it('for payouts are set together or not at all', () => {
    expect(loadSettings({}).rails.mpesa.demo.payouts).toMatchObject({ shortcode: '600000' });
    const payouts = { RAIL_MPESA_LIVE_B2C_SHORTCODE: '600200', RAIL_MPESA_LIVE_INITIATOR: 'asha' };
    expect(problemsOf({ ...live, ...payouts })).toEqual([
      'RAIL_MPESA_LIVE_SECURITY_CREDENTIAL: is required as soon as another setting of payouts is set',
    ]);
    const all = { ...live, ...payouts, RAIL_MPESA_LIVE_SECURITY_CREDENTIAL: 'sealed' };
    expect(loadSettings(all).rails.mpesa.live?.payouts).toEqual({
      shortcode: '600200',
      initiator: 'asha',
      securityCredential: 'sealed',
      perSecond: 20,
    });
  });

  it('for payouts name the day on which the initiator’s password expires, if it is known', () => {
    const payouts = {
      RAIL_MPESA_LIVE_B2C_SHORTCODE: '600200',
      RAIL_MPESA_LIVE_INITIATOR: 'asha',
      RAIL_MPESA_LIVE_SECURITY_CREDENTIAL: 'sealed',
    };
    const until = (day: string) => ({ RAIL_MPESA_LIVE_INITIATOR_EXPIRES: day });
    // A day in the past is accepted: an alert reports it, and the process must start.
    for (const day of ['2027-02-28', '2020-01-01']) {
      const all = loadSettings({ ...live, ...payouts, ...until(day) });
      expect(all.rails.mpesa.live?.payouts).toMatchObject({ initiatorExpires: day });
    }
    for (const wrong of ['2027-02-29', '90d', '2027-2-1'])
      expect(problemsOf({ ...live, ...payouts, ...until(wrong) })).toEqual([
        `RAIL_MPESA_LIVE_INITIATOR_EXPIRES: "${wrong}" must be a date written YYYY-MM-DD`,
      ]);
    expect(problemsOf({ ...live, ...until('2027-02-28') })).toEqual([
      'RAIL_MPESA_LIVE_INITIATOR_EXPIRES: is set, but no setting of payouts is',
    ]);
  });

  it('for payouts limit how many a worker sends to the rail in a second', () => {
    const rateOf = (given: Record<string, string>) =>
      loadSettings(given).rails.mpesa.demo.payouts?.perSecond;
    expect(rateOf({})).toBe(200);
    expect(rateOf({ RAIL_MPESA_DEMO_PAYOUT_RATE: '7' })).toBe(7);
    for (const rate of ['0', '1001', 'fast'])
      expect(problemsOf({ RAIL_MPESA_DEMO_PAYOUT_RATE: rate })).toHaveLength(1);
  });

  it('for a demo rail that is no simulator use whole shillings and trust no address by default', () => {
    const { rails } = loadSettings(
      Object.fromEntries(
        Object.entries(live)
          .filter(([name]) => !name.endsWith('CALLBACK_IPS'))
          .map(([name, value]) => [name.replace('LIVE', 'DEMO'), value]),
      ),
    );
    expect(rails.mpesa.demo).toMatchObject({ stepMinor: 100n, callbackIps: [] });
  });

  it('move the clock only in tests, never beside live settings', () => {
    expect(loadSettings({ CLOCK_OFFSET: '400d' }).clockOffsetMs).toBe(400 * 86_400_000);
    expect(problemsOf({ ...live, CLOCK_OFFSET: '1s' })).toEqual([
      expect.stringMatching(/^CLOCK_OFFSET: is for tests only/),
    ]);
    expect(problemsOf({ ...live, CLOCK_OFFSET: '0s' })).toEqual([]);
  });

  it('let a process die at a crash point only in tests, never beside live settings', () => {
    expect(loadSettings({}).crashAt).toBeUndefined();
    expect(loadSettings({ CRASH_AT: 'redis:get:after' }).crashAt).toMatchObject({ kind: 'die' });
    expect(problemsOf({ ...live, CRASH_AT: 'trace' })).toEqual([
      expect.stringMatching(/^CRASH_AT: is for tests only/),
    ]);
    expect(problemsOf({ CRASH_AT: 'here' })).toEqual([
      expect.stringMatching(/^CRASH_AT: "here" must be/),
    ]);
  });

  it('report each missing server if the process needs servers', () => {
    expect(() => requireServers(loadSettings({ REDIS_URL: 'redis://h' }))).toThrow(
      /EVENTSTORE_URL: .*\nDATABASE_URL: .*\nMASTER_KEY: /,
    );
    const env = {
      EVENTSTORE_URL: 'esdb://h:2113?tls=false',
      DATABASE_URL: 'postgresql://h/d',
      REDIS_URL: 'rediss://h',
      MASTER_KEY: key('k1'),
    };
    expect(requireServers(loadSettings(env))).toMatchObject({ redisUrl: 'rediss://h' });
  });

  it('name the server behind a pooler only beside the pooler', () => {
    const env = { DATABASE_DIRECT_URL: 'postgres://db/d' };
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^DATABASE_DIRECT_URL: names the server behind a pooler/),
    ]);
    const pooled = { ...env, DATABASE_URL: 'postgres://pooler/d', MASTER_KEY: key('k1') };
    expect(loadSettings(pooled).databaseDirectUrl).toBe('postgres://db/d');
  });

  it.each(secretNames)(
    'may name the file of %s, whose last line may end with a newline',
    (name) => {
      const value = name === 'MASTER_KEY' ? key('k1') : `scheme://${randomUUID()}`;
      const read = (env: Record<string, string>) => givenSettings(env, [])[name];
      expect(read({ [`${name}_FILE`]: secretFile(`${value}\n`) })).toBe(value);
    },
  );

  it('count as set if they are read from files, with the same checks', () => {
    const { MASTER_KEY, ...others } = live;
    expect(loadSettings({ ...others, MASTER_KEY_FILE: secretFile(MASTER_KEY) })).toEqual(
      loadSettings(live),
    );
    expect(problemsOf({ MASTER_KEY_FILE: secretFile('k1:short') })).toEqual([
      expect.stringContaining('exactly 32 bytes'),
    ]);
  });

  it('refuse a secret that is set twice, and a file without one, and never contain its text', () => {
    const problems = problemsOf({
      MASTER_KEY: key('k1'),
      MASTER_KEY_FILE: secretFile('told-nowhere'),
      REDIS_URL_FILE: join(folder, 'absent'),
      DATABASE_URL_FILE: secretFile(' \n'),
      EVENTSTORE_URL_FILE: folder,
      RAIL_MPESA_DEMO_PASSKEY_FILE: secretFile('told-nowhere'.repeat(8192)),
    });
    expect(problems.map((problem) => problem.replaceAll(/\/\S+/g, 'FILE')).sort()).toEqual([
      'DATABASE_URL_FILE: FILE is empty',
      'EVENTSTORE_URL_FILE: FILE cannot be read (EISDIR)',
      'MASTER_KEY_FILE: MASTER_KEY is set as well; set one of the two',
      'RAIL_MPESA_DEMO_PASSKEY_FILE: FILE has more than 64 KiB; name the secret’s own file',
      'REDIS_URL_FILE: FILE cannot be read (ENOENT)',
    ]);
    expect(problems.join()).not.toContain('told-nowhere');
  });

  it('shared with the command line stay as given, under their present names', () => {
    const given = { V4_GA_DATE: '2026-02-15', CLOCK_OFFSET: '', RAIL_MESSAGE_RETENTION: '90d' };
    const others = { MASTER_KEY: key('k1'), CRASH_AT: 'trace', PORT: '0' };
    const shared = { V4_GA_DATE: '2026-02-15', EVIDENCE_RETENTION: '90d' };
    expect(sharedSettings({ ...given, ...others })).toEqual(shared);
    const both = { ...given, EVIDENCE_RETENTION: '91d' };
    expect(sharedSettings(both)).toEqual({ ...shared, EVIDENCE_RETENTION: '91d' });
  });

  it('are all listed in .env.example, which is valid as it is and contains nothing else', () => {
    const text = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const entries = lines.map((line) => line.split('=', 2) as [string, string]);
    expect(entries.map(([name]) => name).sort()).toEqual(
      [...settingNames, ...railSettingNames].sort(),
    );
    expect(loadSettings(Object.fromEntries(entries))).toEqual(loadSettings({}));
    for (const rule of unsafeRules) expect(text).toMatch(new RegExp(`^#.*\\b${rule}\\b`, 'm'));
  });
});
