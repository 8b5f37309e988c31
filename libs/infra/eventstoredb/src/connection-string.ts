import { type EventStoreUrl, readEventStoreUrl, redactText } from '#infra/runtime';
import { EventStoreDBClient } from '@eventstore/db-client';
import { debug } from '@eventstore/db-client/dist/utils/debug.js';

/**
 * Refuses a string that the client would misread without notice. It never repeats the string, since that may contain a
 * password.
 * @throws Error that says what to write instead
 */
export function checkConnectionString(connectionString: string): EventStoreUrl {
  const url = readEventStoreUrl(connectionString);
  if ('problem' in url) throw new Error(`EVENTSTORE_URL: ${url.problem}`);
  return url;
}

/**
 * A client of the package. It connects at its first call. Three places in the package print the whole string with the
 * password: its debug log, the warning about an unknown option (console) and the parse error. This function blocks all
 * three.
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
    // No `cause`: the package's error has the string as a property.
    throw new Error(`EVENTSTORE_URL cannot be used: ${redactText(message)}`);
  } finally {
    console.warn = consoleWarn;
  }
}
