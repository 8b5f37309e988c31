/**
 * The connection strings that the event store's client understands, under both of the product's names. Strings that it
 * would misread are refused here. The complaint does not repeat the string, which may contain a password.
 */
const form = 'esdb://[user:password@]host[:port][,host[:port]…][?option=value&…]';

/** The client knows the product only by its first name. */
const schemes: Readonly<Record<string, string>> = {
  esdb: 'esdb',
  'esdb+discover': 'esdb+discover',
  kurrentdb: 'esdb',
  'kurrentdb+discover': 'esdb+discover',
};
const hostPattern = /^[^$+!?*'(),;[\]{}|"%~#<>=&/:@\s]+(?::(\d{1,5}))?$/;
const defaultPort = '2113';
const numbers = [
  'maxdiscoverattempts',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'keepaliveinterval',
  'keepalivetimeout',
];
/**
 * The client's own limits of discovery, 5 s a host and ten rounds, are longer than a call may take. With these, a host
 * that hangs leaves time for the next one, and a discovery without a result ends soon: the call then begins another.
 */
const discoveryLimits = { gossipTimeout: 1, maxDiscoverAttempts: 3 };
const flags = ['dnsdiscover', 'tls', 'tlsverifycert', 'throwonappendfailure'];
const preferences = ['leader', 'follower', 'readonlyreplica', 'random'];
const paths = ['tlscafile', 'usercertfile', 'userkeyfile', 'connectionname'];

export interface EventStoreUrl {
  /** The string for the client, with limits of discovery that suit our deadlines unless it sets its own. */
  readonly connectionString: string;
  readonly hosts: readonly string[];
  /** The port of each host, in the same order. */
  readonly ports: readonly number[];
  /** The file of `tlsCAFile`; undefined if the client trusts the authorities that Node trusts. */
  readonly authorityFile: string | undefined;
  /** True if the client asks a cluster where to connect. */
  readonly discovers: boolean;
  readonly usesTls: boolean;
  /** True if the servers must prove their identity; without that, TLS hides nothing from an attacker in between. */
  readonly verifiesServers: boolean;
  /** Options that the client will ignore. */
  readonly warnings: readonly string[];
}

/** @returns what to write instead, if the client cannot use it or would misread it */
export function readEventStoreUrl(text: string): EventStoreUrl | { readonly problem: string } {
  const parts = /^([a-z+]+):\/\/([^/?]+)\/*(?:\?(.+))?$/.exec(text.trim());
  const scheme = schemes[parts?.[1] ?? ''];
  if (!parts || scheme === undefined)
    return {
      problem: `must read ${form} (or esdb+discover://, kurrentdb://, kurrentdb+discover://), other characters percent-encoded`,
    };
  const [, , authority = '', query = ''] = parts;
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const hosts = authority.slice(at + 1).split(',');
  const options = optionsOf(query);
  const problem = problemOf({ user, hosts, query, options });
  if (problem !== undefined) return { problem };
  const usesTls = options.get('tls') !== 'false';
  const usesDns = scheme === 'esdb+discover';
  const discovers = usesDns || hosts.length > 1;
  const limits = discovers ? limitsBeside(options) : [];
  const all = [...(query === '' ? [] : [query]), ...limits].join('&');
  return {
    connectionString: `${scheme}://${authority}${all === '' ? '' : `?${all}`}`,
    hosts: hosts.map((host) => host.replace(/:\d+$/, '')),
    ports: hosts.map((host) => Number(hostPattern.exec(host)?.[1] ?? defaultPort)),
    authorityFile: decoded(options.get('tlscafile')),
    discovers,
    usesTls,
    verifiesServers: usesTls && options.get('tlsverifycert') !== 'false',
    warnings: [
      ...(user !== undefined && !usesTls
        ? ['with tls=false the client does not send the user of EVENTSTORE_URL']
        : []),
      ...(usesDns && hosts.length > 1
        ? ['esdb+discover asks the first host of EVENTSTORE_URL only; esdb:// asks them all']
        : []),
    ],
  };
}

function limitsBeside(options: ReadonlyMap<string, string>): readonly string[] {
  return Object.entries(discoveryLimits).flatMap(([name, limit]) =>
    options.has(flat(name)) ? [] : [`${name}=${limit}`],
  );
}

interface Parts {
  readonly user: string | undefined;
  readonly hosts: readonly string[];
  readonly query: string;
  readonly options: ReadonlyMap<string, string>;
}

function problemOf({ user, hosts, query, options }: Parts): string | undefined {
  if (user?.includes('@') || query.includes('@'))
    return 'write @ within a user, a password or an option as %40';
  if (user !== undefined && !/^[^:]+:[^:]+$/.test(user))
    return 'write the user as user:password, a : within either as %3A';
  const isHost = (host: string) => {
    const match = hostPattern.exec(host);
    return match !== null && Number(match[1] ?? defaultPort) <= 65_535;
  };
  if (!hosts.every(isHost))
    return 'each host must be a name or an IPv4 address, with a port where it is not 2113';
  if (query !== '' && !query.split('&').every((pair) => /^[^=]+=[^=&?]+$/.test(pair)))
    return 'each option must read name=value, & between them';
  if (query !== '' && options.size < query.split('&').length) return 'each option may stand once';
  if (options.get('throwonappendfailure') === 'false')
    return 'throwOnAppendFailure=false would hide lost races; leave it out';
  return [...options].map(([name, value]) => optionProblem(name, value)).find(Boolean);
}

function optionProblem(name: string, value: string): string | undefined {
  if (numbers.includes(name)) return /^\d+$/.test(value) ? undefined : `${name} must be a number`;
  if (flags.includes(name))
    return ['true', 'false'].includes(value) ? undefined : `${name} must be true or false`;
  if (name === 'nodepreference')
    return preferences.includes(flat(value))
      ? undefined
      : `${name} must be leader, follower, read_only_replica or random`;
  return paths.includes(name) && !isDecodable(value) ? `${name}: write % as %25` : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The client decodes paths. The problems of the options have been checked before. */
function decoded(path: string | undefined): string | undefined {
  return path === undefined ? undefined : decodeURIComponent(path);
}

/** The client accepts option names in any case, with dashes or underscores. */
function optionsOf(query: string): ReadonlyMap<string, string> {
  const pairs = (query === '' ? [] : query.split('&')).map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split('=', 2);
    return [flat(name), value.trim()];
  });
  return new Map(pairs);
}

function flat(text: string): string {
  return text.trim().toLowerCase().replace(/[_-]/g, '');
}
