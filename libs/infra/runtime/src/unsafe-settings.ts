import { holdsEverybody, isAddressRange } from './address-range.js';
import { readEventStoreUrl } from './event-store-url.js';
import { readRedisUrl } from './redis-url.js';

/**
 * Rules of live mode, each enforced unless ALLOW_UNSAFE names it. The settings' text breaks all of them except
 * `credentials-for-everybody`, which commands enforce, and `superuser-database`, which takes a question to Postgres.
 */
export const unsafeRules = [
  'http-base-url',
  'http-rail-url',
  'stores-without-tls',
  'callbacks-from-everybody',
  'proxies-everybody',
  'credentials-for-everybody',
  'webhooks-to-private-addresses',
  'generated-master-key',
  'no-issuer',
  'http-issuer',
  'http-portal-url',
  'http-notify-url',
  'weak-presence',
  'superuser-database',
] as const;
export type UnsafeRule = (typeof unsafeRules)[number];

/** Prefix of the key that `npm start` makes: that key is readable next to the data that it encrypts. */
export const generatedKeyId = 'made-by-npm-start';

/**
 * Checks the text of the settings, so that it reports everything at once, even if some of them cannot be read.
 * @param given the settings that are set
 * @returns every problem, each with the rule that lifts it; none if there is no live rail
 */
export function unsafeSettings(given: Readonly<Record<string, string>>): readonly string[] {
  if (!Object.keys(given).some((name) => /^RAIL_[A-Z]+_LIVE_/.test(name))) return [];
  const allowed = (given['ALLOW_UNSAFE'] ?? '').split(',').map((rule) => rule.trim());
  return [
    ...unsafeUrls(given),
    ...storesWithoutTls(given).map(
      (name) =>
        [
          'stores-without-tls',
          `${name}: must use TLS in live mode, since the server is on another machine (${tlsForm[name]})`,
        ] as const,
    ),
    ...unsafeRanges(given),
    ...unsafeMasterKey(given['MASTER_KEY']),
    ...unsafeIssuer(given),
    ...unsafeNotices(given),
    ...weakPresence(given),
  ]
    .filter(([rule]) => !allowed.includes(rule))
    .map(([rule, problem]) => `${problem} (ALLOW_UNSAFE=${rule} lifts this rule)`);
}

type Problem = readonly [UnsafeRule, string];
type Given = Readonly<Record<string, string>>;

function unsafeUrls(given: Given): readonly Problem[] {
  const { BASE_URL: baseUrl = '', WEBHOOK_ALLOW_PRIVATE: allowPrivate = 'off' } = given;
  const problems: Problem[] = [];
  if (!baseUrl.startsWith('https://'))
    problems.push(['http-base-url', 'BASE_URL: must begin with https:// in live mode']);
  for (const name of ['RAIL_MPESA_LIVE_URL', 'RAIL_AIRTEL_LIVE_URL'])
    if (!(given[name] ?? 'https://').startsWith('https://'))
      problems.push(['http-rail-url', `${name}: must begin with https://`]);
  if (!['off', 'false', '0'].includes(allowPrivate))
    problems.push([
      'webhooks-to-private-addresses',
      'WEBHOOK_ALLOW_PRIVATE: must be off in live mode',
    ]);
  return problems;
}

function unsafeRanges(given: Given): readonly Problem[] {
  const holdsAll = (name: string) => {
    const ranges = (given[name] ?? '').split(',').map((range) => range.trim());
    return holdsEverybody(ranges.filter(isAddressRange));
  };
  const problems: Problem[] = [];
  if (holdsAll('RAIL_MPESA_LIVE_CALLBACK_IPS'))
    problems.push([
      'callbacks-from-everybody',
      'RAIL_MPESA_LIVE_CALLBACK_IPS: holds every address, so that anybody could confirm payments',
    ]);
  if (holdsAll('TRUSTED_PROXIES'))
    problems.push([
      'proxies-everybody',
      'TRUSTED_PROXIES: holds every address, so that anybody could claim to come from any other',
    ]);
  return problems;
}

function unsafeMasterKey(text: string | undefined): readonly Problem[] {
  if (text !== undefined && !text.trim().startsWith(`${generatedKeyId}:`)) return [];
  const problem =
    'MASTER_KEY: live mode takes none that npm start makes, since it lies beside the data; make one, keep it ' +
    'elsewhere, and put it in front: echo "k1:$(openssl rand -base64 32)"';
  return [['generated-master-key', problem]];
}

/** An issuer on this machine is refused whatever the rules are. */
function unsafeIssuer({ OIDC_ISSUER: issuer, PORTAL_URL: portalUrl }: Given): readonly Problem[] {
  if (issuer === undefined)
    return [
      [
        'no-issuer',
        'OIDC_ISSUER: must be set with live rail settings, since names that are typed decide about no live money',
      ],
    ];
  const problems: Problem[] = [];
  if (!issuer.startsWith('https://'))
    problems.push(['http-issuer', 'OIDC_ISSUER: must begin with https:// in live mode']);
  // Without PORTAL_URL, BASE_URL counts, which has a rule of its own.
  if (portalUrl !== undefined && !portalUrl.startsWith('https://'))
    problems.push(['http-portal-url', 'PORTAL_URL: must begin with https:// in live mode']);
  return problems;
}

/** A notice says who waits for whom, and its URL often contains a secret. */
function unsafeNotices({ NOTIFY_URL: url = 'https://' }: Given): readonly Problem[] {
  return url.startsWith('https://')
    ? []
    : [['http-notify-url', 'NOTIFY_URL: must begin with https:// in live mode']];
}

/** Values that no page in between can relay (OpenID's EAP ACR values), strongest first. */
export const strongPresence: readonly string[] = ['phrh', 'phr'];

/** Anything less than a passkey is a password that a page in between can take (POR-10). */
function weakPresence({ OIDC_STEP_UP_ACR: text = '' }: Given): readonly Problem[] {
  const named = text.split(/[\s,]+/).filter((acr) => acr !== '');
  return named.every((acr) => strongPresence.includes(acr))
    ? []
    : [
        [
          'weak-presence',
          'OIDC_STEP_UP_ACR: live mode takes phr and phrh alone as proof of presence',
        ],
      ];
}

const databases = ['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_DIRECT_URL'] as const;
const tlsForm: Readonly<
  Record<'EVENTSTORE_URL' | 'REDIS_URL' | (typeof databases)[number], string>
> = {
  EVENTSTORE_URL: 'leave out tls=false and tlsVerifyCert=false',
  DATABASE_URL: 'add sslmode=verify-full',
  DATABASE_READ_URL: 'add sslmode=verify-full',
  DATABASE_DIRECT_URL: 'add sslmode=verify-full',
  REDIS_URL: 'write rediss:// or rediss+sentinel://',
};

function storesWithoutTls(given: Given): readonly (keyof typeof tlsForm)[] {
  const store = readEventStoreUrl(given['EVENTSTORE_URL'] ?? '');
  const isPlainStore =
    !('problem' in store) && !store.verifiesServers && !store.hosts.every(isThisMachine);
  return [
    ...(isPlainStore ? (['EVENTSTORE_URL'] as const) : []),
    ...databases.filter((name) => isPlainDatabase(given[name] ?? '')),
    ...(isPlainRedis(given['REDIS_URL'] ?? '') ? (['REDIS_URL'] as const) : []),
  ];
}

function isPlainRedis(text: string): boolean {
  const url = readRedisUrl(text);
  return !('problem' in url) && !url.usesTls && !url.hosts.every(isThisMachine);
}

/** The driver's modes that verify the server's certificate and name. */
const verifyingModes = ['require', 'verify-ca', 'verify-full'];

function isPlainDatabase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, searchParams } = new URL(text);
  // The driver uses the last option of a name, too.
  const option = (name: string): string => searchParams.getAll(name).at(-1) ?? '';
  // A host in the query overrides the other one; a socket is a path.
  const host = option('host') || hostname;
  if (host === '' || host.startsWith('/') || isThisMachine(host)) return false;
  const mode = option('sslmode');
  // As in libpq, the weaker modes accept any certificate, or one of any name.
  if (option('uselibpqcompat') === 'true') return mode !== 'verify-full';
  return mode === '' ? !['true', '1'].includes(option('ssl')) : !verifyingModes.includes(mode);
}

/** True if a host's name or address is this machine's. */
export function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
