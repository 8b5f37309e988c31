import { redactText } from '#runtime';
import { EventStoreDBClient } from '@eventstore/db-client';
import { debug } from '@eventstore/db-client/dist/utils/debug.js';

const form = 'esdb://[user:password@]host[:port][,host[:port]…][?option=value&…]';

export interface ConnectionStringCheck {
  /** What the client will ignore. */
  readonly warnings: readonly string[];
  /** Whether the client asks a cluster where to connect. */
  readonly discovers: boolean;
}

/**
 * Refuses what the client would misread without a word; the string itself is never repeated, since it may
 * hold a password.
 * @throws Error that says what to write instead
 */
export function checkConnectionString(connectionString: string): ConnectionStringCheck {
  const parts = /^(esdb|esdb\+discover):\/\/([^/?]+)\/?(?:\?(.*))?$/.exec(connectionString.trim());
  if (!parts) throw new Error(`EVENTSTORE_URL must read ${form}, other characters percent-encoded`);
  const [, scheme, authority = '', query = ''] = parts;
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  if (user?.includes('@') || query.includes('@'))
    throw new Error('EVENTSTORE_URL: write @ within a user, a password or an option as %40');
  if (user !== undefined && !/^[^:]+:[^:]+$/.test(user))
    throw new Error('EVENTSTORE_URL: write the user as user:password, a : within either as %3A');
  const options = optionsOf(query);
  if (options.get('throwonappendfailure') === 'false')
    throw new Error(
      'EVENTSTORE_URL: throwOnAppendFailure=false would hide lost races; leave it out',
    );
  const warnings: string[] = [];
  if (user !== undefined && options.get('tls') === 'false')
    warnings.push('with tls=false the client does not send the user of EVENTSTORE_URL');
  if (scheme === 'esdb+discover' && authority.includes(','))
    warnings.push(
      'esdb+discover asks the first host of EVENTSTORE_URL only; esdb:// asks them all',
    );
  return { warnings, discovers: scheme === 'esdb+discover' || authority.includes(',') };
}

/** The client takes option names in any case, with dashes or underscores. */
function optionsOf(query: string): ReadonlyMap<string, string> {
  const pairs = query.split('&').map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split('=', 2);
    return [name.trim().toLowerCase().replace(/[_-]/g, ''), value.trim()];
  });
  return new Map(pairs);
}

/**
 * A client of the package, options untouched. It connects at its first call. Three places of the package
 * print the whole string, password included: its debug log, the warning about an unknown option (console)
 * and the parse error; none of them gets through.
 */
export function openClient(
  connectionString: string,
  warn: (message: string) => void,
): EventStoreDBClient {
  debug.connection.enabled = false;
  const consoleWarn = console.warn;
  console.warn = (...message: unknown[]) => {
    warn(redactText(message.map(String).join(' ')));
  };
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // No `cause`: the package's error carries the string as a property.
    throw new Error(`EVENTSTORE_URL cannot be used: ${redactText(message)}`);
  } finally {
    console.warn = consoleWarn;
  }
}
