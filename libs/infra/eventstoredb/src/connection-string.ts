import { type EventStoreUrl, readEventStoreUrl, redactText } from '#infra/runtime';
import { EventStoreDBClient } from '@eventstore/db-client';
import { debug } from '@eventstore/db-client/dist/utils/debug.js';

/**
 * Refuses what the client would misread unnoticed; the string itself is never repeated, since it may
 * hold a password.
 * @throws Error that says what to write instead
 */
export function checkConnectionString(connectionString: string): EventStoreUrl {
  const url = readEventStoreUrl(connectionString);
  if ('problem' in url) throw new Error(`EVENTSTORE_URL: ${url.problem}`);
  return url;
}

/**
 * A client of the package. It connects at its first call. Three places of the package
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
