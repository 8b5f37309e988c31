/** A host and port of Redis or of a Sentinel. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** The servers that REDIS_URL names: one server, or the primary that Sentinels name. */
export type RedisUrl = {
  readonly hosts: readonly string[];
  readonly usesTls: boolean;
} & (
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisAddress[];
      /** The Sentinels' name of the primary. */
      readonly name: string;
      readonly db: number;
      readonly username?: string;
      readonly password?: string;
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    }
);

const form =
  'redis+sentinel://[user:password@]sentinel[:port][,sentinel[:port]…]/primary[/db][?sentinelPassword=…]';
const parts =
  /^redis(s)?\+sentinel:\/\/(?:([^:@/?]*):([^@/?]*)@)?([^@/?]+)\/([^/?]+)(?:\/(\d{1,2}))?(?:\?(.*))?$/;
const address = /^([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?$/;
const sentinelPort = 26_379;

/** @returns what to write instead, if it cannot be used; never the text, which may contain a password */
export function readRedisUrl(text: string): RedisUrl | { readonly problem: string } {
  if (!/^rediss?\+sentinel:/.test(text)) return serverOf(text);
  const found = parts.exec(text);
  const sentinels = (found?.[4] ?? '').split(',').map(addressOf);
  const options = new URLSearchParams(found?.[7] ?? '');
  const isKnown = [...options.keys()].every((name) => /^sentinel(Username|Password)$/.test(name));
  if (!found || !isKnown || !sentinels.every((one) => one !== undefined))
    return { problem: `must read ${form}, other characters percent-encoded` };
  const [, tls, username, password, , name = '', db = '0'] = found;
  const given = (key: string, value: string | null | undefined) =>
    value === undefined || value === null || value === '' ? {} : { [key]: value };
  return {
    kind: 'sentinel',
    hosts: sentinels.map(({ host }) => host),
    usesTls: tls !== undefined,
    sentinels,
    name: decodeURIComponent(name),
    db: Number(db),
    ...given('username', username && decodeURIComponent(username)),
    ...given('password', password && decodeURIComponent(password)),
    ...given('sentinelUsername', options.get('sentinelUsername')),
    ...given('sentinelPassword', options.get('sentinelPassword')),
  };
}

function serverOf(text: string): RedisUrl | { readonly problem: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['redis:', 'rediss:'].includes(url.protocol))
    return { problem: `must be a URL that begins with redis:// or rediss://, or read ${form}` };
  const { protocol, hostname } = url;
  return { kind: 'server', url: text, hosts: [hostname], usesTls: protocol === 'rediss:' };
}

function addressOf(text: string): RedisAddress | undefined {
  const [, host, port = String(sentinelPort)] = address.exec(text) ?? [];
  return host === undefined || Number(port) > 65_535
    ? undefined
    : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
