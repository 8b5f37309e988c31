import { z } from 'zod';
import { type CrashAt, type MasterKey, parseDurationMs, type Rate } from './settings-values.js';
import { type AirtelRailSettings, airtelRail, airtelSettingNames } from './airtel-settings.js';
import { type MpesaRailSettings, mpesaRail, mpesaSettingNames } from './mpesa-settings.js';
import * as field from './settings-fields.js';
import { givenSettings } from './secret-files.js';
import { exporter, headerPairs, ratio, type Telemetry } from './telemetry-settings.js';
import {
  isThisMachine,
  strongPresence,
  type UnsafeRule,
  unsafeSettings,
} from './unsafe-settings.js';

/** All settings of the environment, read once. Durations are milliseconds. */
export interface Settings {
  /** 0 uses a free port. */
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** From SIGTERM, with readiness failing, to the listener's end. Undefined if not set: 5 s, and 0 under `npm start`. */
  readonly drainDelayMs: number | undefined;
  /** The address that the API listens on; undefined for all of the machine's. */
  readonly host: string | undefined;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The URL at which people open the portal: an origin, without a trailing slash. */
  readonly portalUrl: string;
  /** The identity issuer; undefined if there is none, and no portal is served. */
  readonly oidc:
    | {
        readonly issuer: string;
        readonly clientId: string;
        readonly clientSecret: string | undefined;
        /** The command line's id at the issuer, a public client. */
        readonly commandLineClientId: string;
        /** The `acr` values that a step-up accepts, best first; `any` accepts each. If empty, the issuer's list decides. */
        readonly stepUpAcr: readonly string[];
      }
    | undefined;
  /**
   * Destinations of notices about what waits for two operators: a URL that accepts a POST, a mail server with `from`
   * and `to`.
   */
  readonly notices: { readonly url: string | undefined; readonly mail: string | undefined };
  readonly dataDir: string;
  /** Absent if the embedded servers are to be used; the launcher sets all three for its children. */
  readonly eventstoreUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Connections of a process for money: intents, claims, secrets. */
  readonly databasePoolWrite: number;
  /** Connections of an API process for lists and balances. */
  readonly databasePoolRead: number;
  /** A replica of the database, for lists and balances. */
  readonly databaseReadUrl: string | undefined;
  /** The server behind a pooler in transaction mode, which `databaseUrl` and `databaseReadUrl` then name. */
  readonly databaseDirectUrl: string | undefined;
  /** `apart`: only `pesapost migrate` changes the records, and a process that lacks a migration does not start. */
  readonly migrations: 'at-start' | 'apart';
  /** The servers that `npm start` runs itself; for those, the next step after a fault is different. */
  readonly embeddedServers: readonly string[];
  /** The first encrypts, all decrypt. Absent if the launcher is to make one in the data directory. */
  readonly masterKeys: readonly MasterKey[] | undefined;
  readonly trustedProxies: readonly string[];
  readonly rateLimitV4: Rate;
  /** Maximum number of one credential's live nonces and idempotency claims; if undefined, its rate decides. */
  readonly credentialMemoryCap: number | undefined;
  /** Rails by channel. */
  readonly rails: {
    readonly mpesa: {
      readonly demo: MpesaRailSettings;
      readonly live: MpesaRailSettings | undefined;
    };
    readonly airtel: {
      readonly demo: AirtelRailSettings | undefined;
      readonly live: AirtelRailSettings | undefined;
    };
  };
  readonly railPushTimeoutMs: number;
  /** After the push, ascending. */
  readonly railQueryDelaysMs: readonly number[];
  readonly railReviewAfterMs: number;
  /** The time between two comparisons of the rail's balance with the ledger. */
  readonly railBalanceEveryMs: number;
  /** The time after the rail's figure in which late reports of earlier payments still come. */
  readonly railBalanceSettleMs: number;
  /** The time for which a payout waits for the rail's float before people see it. */
  readonly payoutFloatWaitMs: number;
  /** The time for which an approval is valid if the payout does not start. */
  readonly payoutMaxAgeMs: number;
  readonly evidenceRetentionMs: number;
  readonly readModelMaxAgeMs: number;
  /** Undefined if not set: off, and on under `npm start`. */
  readonly webhookAllowPrivate: boolean | undefined;
  /** Rules of live mode that are not enforced. */
  readonly allowUnsafe: readonly UnsafeRule[];
  readonly simulatorPort: number;
  readonly simulatorAirtelPort: number;
  readonly simulatorDelayMs: number;
  /** YYYY-MM-DD */
  readonly v4GaDate: string;
  /** V3 calls in 30 days below which V3 may be retired. */
  readonly v3RetireThreshold: number;
  readonly rateLimitV3Restricted: Rate;
  /** Added by Clock, the embedded store's `created` and `records.now_()`. Tests only. */
  readonly clockOffsetMs: number;
  /** The point at which this process is to die. Tests only. */
  readonly crashAt: CrashAt | undefined;
  readonly logLevel: LogLevel;
  /** PEM of the Ed25519 key that signs the days' heads; without it nothing is sealed. */
  readonly auditSealKey: string | undefined;
  /** The time zone of the platform's days. */
  readonly platformTimezone: string;
  /** Undefined if no trace is recorded. */
  readonly telemetry: Telemetry | undefined;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const migrations = ['at-start', 'apart'] as const;
export type LogLevel = (typeof logLevels)[number];

/** All problems of the settings, one line each: what is wrong and what is wanted. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** The default id of the command line at an issuer. */
export const defaultCommandLineClient = 'pesapost-cli';

/** The first day of V4's general availability, from which V3's phases are counted. */
const releaseDate = '2026-11-21';

/** Disputes arrive within weeks: no typing error may delete their evidence. */
const minRetentionMs = 90 * 86_400_000;

const schema = z.object({
  HOST: field.nonEmpty.optional(),
  PORT: field.port.prefault('8080'),
  ADMIN_HOST: field.nonEmpty.prefault('127.0.0.1'),
  ADMIN_PORT: field.port.prefault('9464'),
  DRAIN_DELAY: field.durationMs().optional(),
  BASE_URL: field.httpUrl.optional(),
  PORTAL_URL: field.origin.optional(),
  OIDC_ISSUER: field.issuer.optional(),
  OIDC_CLIENT_ID: field.nonEmpty.optional(),
  OIDC_CLIENT_SECRET: field.nonEmpty.optional(),
  OIDC_CLI_CLIENT_ID: field.nonEmpty.prefault(defaultCommandLineClient),
  OIDC_STEP_UP_ACR: field.acrValues.prefault(''),
  NOTIFY_URL: field.hook.optional(),
  SMTP_URL: field.mailServer.optional(),
  DATA_DIR: field.nonEmpty.prefault('.data'),
  EVENTSTORE_URL: field.eventStoreUrl.optional(),
  DATABASE_URL: field.url(['postgres:', 'postgresql:']).optional(),
  REDIS_URL: field.redisUrl.optional(),
  DATABASE_POOL_WRITE: field.wholeNumber(2, 1000).prefault('6'),
  DATABASE_POOL_READ: field.wholeNumber(1, 1000).prefault('6'),
  DATABASE_READ_URL: field.url(['postgres:', 'postgresql:']).optional(),
  DATABASE_DIRECT_URL: field.url(['postgres:', 'postgresql:']).optional(),
  MIGRATIONS: z.enum(migrations, `must be one of ${migrations.join(', ')}`).prefault('at-start'),
  EMBEDDED_SERVERS: field.embeddedServers.prefault(''),
  MASTER_KEY: field.masterKeys.optional(),
  TRUSTED_PROXIES: field.addressRanges.prefault(''),
  RATE_LIMIT_V4: field.rate.prefault('100/s burst 200'),
  CREDENTIAL_MEMORY_CAP: field.wholeNumber(1, 1_000_000_000).optional(),
  RAIL_PUSH_TIMEOUT: field.durationMs({ least: 100 }).prefault('10s'),
  RAIL_QUERY_DELAYS: field.durationsMs.prefault('75s,3m,10m,30m,2h,6h,12h,24h'),
  RAIL_REVIEW_AFTER: field.durationMs({ least: 1 }).prefault('48h'),
  RAIL_BALANCE_EVERY: field.durationMs({ least: 1000 }).prefault('24h'),
  RAIL_BALANCE_SETTLE: field.durationMs().prefault('15m'),
  PAYOUT_FLOAT_WAIT: field.durationMs({ least: 1 }).prefault('24h'),
  PAYOUT_MAX_AGE: field.durationMs({ least: 1 }).prefault('72h'),
  EVIDENCE_RETENTION: field.durationMs({ least: minRetentionMs }).optional(),
  // The name in earlier releases, which kept only the rail's bytes.
  RAIL_MESSAGE_RETENTION: field.durationMs({ least: minRetentionMs }).prefault('2562d'),
  READ_MODEL_MAX_AGE: field.durationMs({ least: 1000 }).prefault('60s'),
  WEBHOOK_ALLOW_PRIVATE: field.onOff.optional(),
  ALLOW_UNSAFE: field.unsafeRuleList.optional(),
  SIMULATOR_PORT: field.port.prefault('8099'),
  SIMULATOR_AIRTEL_PORT: field.port.prefault('8098'),
  SIMULATOR_DELAY: field.durationMs().prefault('800ms'),
  V4_GA_DATE: field.calendarDate.prefault(releaseDate),
  V3_RETIRE_THRESHOLD: field.wholeNumber(0, 1_000_000_000).prefault('100'),
  RATE_LIMIT_V3_RESTRICTED: field.rate.prefault('60/m'),
  CLOCK_OFFSET: field.durationMs({ negative: true }).prefault('0'),
  CRASH_AT: field.crashAt.optional(),
  AUDIT_SEAL_KEY: field.sealKey.optional(),
  PLATFORM_TIMEZONE: field.timezone.prefault('Africa/Nairobi'),
  OTEL_EXPORTER_OTLP_ENDPOINT: field.hook.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs.optional(),
  OTEL_TRACES_SAMPLER_ARG: ratio.prefault('0.01'),
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_METRIC_EXPORT_INTERVAL: field.wholeNumber(100, 3_600_000).prefault('60000'),
  OTEL_LOGS_EXPORTER: exporter,
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).prefault('info'),
});

/** The names of all settings except the rails', for code that lists or forwards them. */
export const settingNames: readonly string[] = Object.keys(schema.shape);

/** The names of all rails' settings. */
export const railSettingNames: readonly string[] = [...mpesaSettingNames, ...airtelSettingNames];

/** Settings that a command must read as the service does if it decides or reports like the service. None is a secret. */
const sharedNames = [
  'V4_GA_DATE',
  'V3_RETIRE_THRESHOLD',
  'CLOCK_OFFSET',
  'PLATFORM_TIMEZONE',
  'EVIDENCE_RETENTION',
  'RAIL_QUERY_DELAYS',
  'RAIL_REVIEW_AFTER',
  'PAYOUT_FLOAT_WAIT',
  'PAYOUT_MAX_AGE',
  'READ_MODEL_MAX_AGE',
  'ALLOW_UNSAFE',
  'EMBEDDED_SERVERS',
  'BASE_URL',
  'SIMULATOR_PORT',
] as const satisfies readonly (keyof typeof schema.shape)[];

/** The settings that the command line shares with the service (OPS-10), as given; names of earlier releases are replaced. */
export function sharedSettings(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const retention = 'RAIL_MESSAGE_RETENTION';
  const named = [...sharedNames, retention].map((name) => [name, env[name]] as const);
  const given = givenSettings(Object.fromEntries(named), []);
  if (given[retention] !== undefined) given['EVIDENCE_RETENTION'] ??= given[retention];
  return Object.fromEntries(
    sharedNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}

/**
 * Reads and validates all settings, including secrets in files. An empty setting counts as not set, as in most `.env`
 * files.
 * @throws SettingsError with every problem
 */
export function loadSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const problems: string[] = [];
  const given = givenSettings(env, problems);
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    problems.push(
      ...parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`),
    );

  const simulatorPort = parsed.data?.SIMULATOR_PORT ?? Number(given['SIMULATOR_PORT'] ?? 8099);
  const demo = mpesaRail('DEMO', given, simulatorPort, problems);
  const live = mpesaRail('LIVE', given, simulatorPort, problems);
  const airtel = {
    demo: airtelRail('DEMO', given, problems),
    live: airtelRail('LIVE', given, problems),
  };
  const isLive = live !== undefined || airtel.live !== undefined;
  if (parseDurationMs(given['CLOCK_OFFSET'] ?? '0') && isLive)
    problems.push(
      'CLOCK_OFFSET: is for tests only and is refused with live rail settings; remove one of the two',
    );
  if (given['CRASH_AT'] !== undefined && isLive)
    problems.push(
      'CRASH_AT: is for tests only and is refused with live rail settings; remove one of the two',
    );
  for (const name of ['OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER'])
    if (given[name] === 'otlp' && given['OTEL_EXPORTER_OTLP_ENDPOINT'] === undefined)
      problems.push(
        `${name}: sends to OTEL_EXPORTER_OTLP_ENDPOINT, which is not set; set both or neither`,
      );
  if (given['DATABASE_READ_URL'] !== undefined && given['DATABASE_URL'] === undefined)
    problems.push(
      'DATABASE_READ_URL: names a replica of DATABASE_URL, which is not set; set both or neither',
    );
  if (given['DATABASE_DIRECT_URL'] !== undefined && given['DATABASE_URL'] === undefined)
    problems.push(
      'DATABASE_DIRECT_URL: names the server behind a pooler at DATABASE_URL, which is not set; set both or neither',
    );
  if (given['DATABASE_URL'] !== undefined && given['MASTER_KEY'] === undefined)
    problems.push(
      'MASTER_KEY: is required where DATABASE_URL is set; make one with: echo "k1:$(openssl rand -base64 32)"',
    );
  problems.push(...issuerProblems(given, isLive), ...unsafeSettings(given));
  if (!parsed.success || problems.length > 0 || !demo) throw new SettingsError(problems);
  return freezeDeep(settingsFrom(parsed.data, { mpesa: { demo, live }, airtel }));
}

/** Settings that an issuer needs, and addresses that it may not have. */
function issuerProblems(given: Readonly<Record<string, string>>, isLive: boolean): string[] {
  const { OIDC_ISSUER: issuer } = given;
  if (issuer === undefined)
    return ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_CLI_CLIENT_ID', 'OIDC_STEP_UP_ACR']
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name}: is about OIDC_ISSUER, which is not set; set both or neither`);
  const problems: string[] = [];
  if (given['OIDC_CLIENT_ID'] === undefined)
    problems.push('OIDC_CLIENT_ID: is required where OIDC_ISSUER is set');
  if (isLive && isLoopback(issuer))
    problems.push(
      'OIDC_ISSUER: is on this machine, as the demo’s is, and is refused with live rail settings; remove one of the two',
    );
  return problems;
}

/** True for every name of loopback: a name below localhost, the unspecified address, and IPv4 written as IPv6. */
function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const host = new URL(text).hostname.replace(/\.$/, '');
  return (
    isThisMachine(host) ||
    /\.localhost$|^0\.0\.0\.0$|^\[::(ffff:(0|7f[0-9a-f]{2}):.*)?\]$/.test(host)
  );
}

function settingsFrom(data: z.output<typeof schema>, rails: Settings['rails']): Settings {
  return {
    port: data.PORT,
    host: data.HOST,
    adminHost: data.ADMIN_HOST,
    adminPort: data.ADMIN_PORT,
    drainDelayMs: data.DRAIN_DELAY,
    baseUrl: data.BASE_URL ?? `http://127.0.0.1:${data.PORT}`,
    portalUrl: data.PORTAL_URL ?? originOf(data.BASE_URL) ?? `http://localhost:${data.PORT}`,
    oidc:
      data.OIDC_ISSUER !== undefined && data.OIDC_CLIENT_ID !== undefined
        ? {
            issuer: data.OIDC_ISSUER,
            clientId: data.OIDC_CLIENT_ID,
            clientSecret: data.OIDC_CLIENT_SECRET,
            commandLineClientId: data.OIDC_CLI_CLIENT_ID,
            stepUpAcr: stepUpAcrOf(data, hasLiveRail(rails)),
          }
        : undefined,
    notices: { url: data.NOTIFY_URL, mail: data.SMTP_URL },
    dataDir: data.DATA_DIR,
    eventstoreUrl: data.EVENTSTORE_URL,
    databaseUrl: data.DATABASE_URL,
    redisUrl: data.REDIS_URL,
    databasePoolWrite: data.DATABASE_POOL_WRITE,
    databasePoolRead: data.DATABASE_POOL_READ,
    databaseReadUrl: data.DATABASE_READ_URL,
    databaseDirectUrl: data.DATABASE_DIRECT_URL,
    migrations: data.MIGRATIONS,
    embeddedServers: data.EMBEDDED_SERVERS,
    masterKeys: data.MASTER_KEY,
    trustedProxies: data.TRUSTED_PROXIES,
    rateLimitV4: data.RATE_LIMIT_V4,
    credentialMemoryCap: data.CREDENTIAL_MEMORY_CAP,
    rails,
    railPushTimeoutMs: data.RAIL_PUSH_TIMEOUT,
    railQueryDelaysMs: data.RAIL_QUERY_DELAYS,
    railReviewAfterMs: data.RAIL_REVIEW_AFTER,
    railBalanceEveryMs: data.RAIL_BALANCE_EVERY,
    railBalanceSettleMs: data.RAIL_BALANCE_SETTLE,
    payoutFloatWaitMs: data.PAYOUT_FLOAT_WAIT,
    payoutMaxAgeMs: data.PAYOUT_MAX_AGE,
    evidenceRetentionMs: data.EVIDENCE_RETENTION ?? data.RAIL_MESSAGE_RETENTION,
    readModelMaxAgeMs: data.READ_MODEL_MAX_AGE,
    webhookAllowPrivate: data.WEBHOOK_ALLOW_PRIVATE,
    allowUnsafe: data.ALLOW_UNSAFE ?? [],
    simulatorPort: data.SIMULATOR_PORT,
    simulatorAirtelPort: data.SIMULATOR_AIRTEL_PORT,
    simulatorDelayMs: data.SIMULATOR_DELAY,
    v4GaDate: data.V4_GA_DATE,
    v3RetireThreshold: data.V3_RETIRE_THRESHOLD,
    rateLimitV3Restricted: data.RATE_LIMIT_V3_RESTRICTED,
    clockOffsetMs: data.CLOCK_OFFSET,
    crashAt: data.CRASH_AT,
    logLevel: data.LOG_LEVEL,
    auditSealKey: data.AUDIT_SEAL_KEY,
    platformTimezone: data.PLATFORM_TIMEZONE,
    telemetry: telemetryFrom(data),
  };
}

function telemetryFrom(data: z.output<typeof schema>): Telemetry | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = data;
  if (endpoint === undefined) return undefined;
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers,
    sampleRatio: data.OTEL_TRACES_SAMPLER_ARG,
    metrics: data.OTEL_METRICS_EXPORTER === 'otlp',
    metricIntervalMs: data.OTEL_METRIC_EXPORT_INTERVAL,
    logs: data.OTEL_LOGS_EXPORTER === 'otlp',
  };
}

/** Live mode requires a passkey, whatever the issuer lists (POR-10). */
function stepUpAcrOf(
  { OIDC_STEP_UP_ACR: named, ALLOW_UNSAFE: allowed = [] }: z.output<typeof schema>,
  isLive: boolean,
): readonly string[] {
  const isRequired = isLive && named.length === 0 && !allowed.includes('weak-presence');
  return isRequired ? strongPresence : named;
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}

/** Freezes objects and arrays; byte buffers cannot be frozen and stay as they are. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}

/** The URL of the database's server itself, without a pooler in front; undefined if no URL is set. */
export function databaseServerUrl({
  databaseDirectUrl,
  databaseUrl,
}: Pick<Settings, 'databaseDirectUrl' | 'databaseUrl'>): string | undefined {
  return databaseDirectUrl ?? databaseUrl;
}

/** The servers and keys that every process except the launcher needs. */
export interface Servers {
  readonly eventstoreUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly masterKeys: readonly MasterKey[];
}

/** @throws SettingsError that names each one that is not set */
export function requireServers(settings: Settings): Servers {
  const { eventstoreUrl, databaseUrl, redisUrl, masterKeys } = settings;
  if (eventstoreUrl && databaseUrl && redisUrl && masterKeys)
    return { eventstoreUrl, databaseUrl, redisUrl, masterKeys };
  const missing = [
    ['EVENTSTORE_URL', eventstoreUrl],
    ['DATABASE_URL', databaseUrl],
    ['REDIS_URL', redisUrl],
    ['MASTER_KEY', masterKeys],
  ].flatMap(([name, value]) => (value === undefined ? [name as string] : []));
  throw new SettingsError(
    missing.map((name) => `${name}: must be set for this process; npm start sets it for its own`),
  );
}

/** True if a rail moves live money. */
export function hasLiveRail(rails: Settings['rails']): boolean {
  return Object.values(rails).some(({ live }) => live !== undefined);
}
