import { type LookupAddress, lookup as systemLookup, promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type SecureVersion } from 'node:tls';
import { isPublicAddress } from '#infra/runtime';
import { buildConnector } from 'undici';

/** The name has no address that may be connected to. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';
}

/** Returns the addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface ConnectOptions {
  /**
   * WEBHOOK_ALLOW_PRIVATE: if true, every address may be connected to, and the machine's own names are resolved too.
   */
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  /** For tests: the authority that signed their certificates, the resolver of names, and the public addresses. */
  readonly ca?: string;
  readonly resolve?: Resolve;
  readonly isAllowed?: (address: string) => boolean;
}

const minTls: SecureVersion = 'TLSv1.2';

/**
 * Returns a connector that only connects to allowed addresses. It uses exactly the addresses to which the name was just
 * resolved, so that nothing can change between the check and the connection (WEB-12).
 */
export function guardedConnector(options: ConnectOptions): buildConnector.connector {
  const { allowPrivate, timeoutMs: timeout, ca } = options;
  const isAllowed = options.isAllowed ?? (allowPrivate ? () => true : isPublicAddress);
  const resolve = options.resolve ?? (allowPrivate ? byMachine : byNameServers());
  const connect = buildConnector({
    timeout,
    allowH2: false,
    minVersion: minTls,
    lookup: allowedOnly(resolve, isAllowed),
    ...(ca !== undefined && { ca }),
  });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // An address needs no lookup.
    if (isIP(host) !== 0 && !isAllowed(host)) callback(new AddressNotAllowed(), null);
    else connect(target, callback);
  };
}

function allowedOnly(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname)
      .then((addresses) => {
        const allowed = addresses
          .filter((address) => isAllowed(address))
          .map((address): LookupAddress => ({ address, family: isIP(address) }));
        const [first] = allowed;
        if (!first) throw new AddressNotAllowed();
        if (all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      })
      .catch((error: unknown) => {
        callback(error as NodeJS.ErrnoException, []);
      });
  };
}

const queryTimeoutMs = 2500;
const queryTries = 2;

/**
 * Returns a resolver that asks the machine's name servers directly. The system's resolver has four threads for the
 * whole process, so a few names whose servers hang would delay all others.
 */
function byNameServers(): Resolve {
  const resolver = new dns.Resolver({ timeout: queryTimeoutMs, tries: queryTries });
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
}

/** Uses the machine's own resolver, which knows `localhost` and names of containers. */
function byMachine(hostname: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found.map(({ address }) => address));
    });
  });
}
