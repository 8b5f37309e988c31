import { backoffMs, type Logger } from '#runtime';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { classify } from './failures.js';

/** Called with a notification's payload; with `undefined` where notifications may have been missed. */
export type NotificationHandler = (payload: string | undefined) => void;

export interface Listening {
  close(): Promise<void>;
}

interface ListenOptions {
  readonly channel: string;
  readonly handler: NotificationHandler;
  readonly logger: Logger;
  readonly config: pg.ClientConfig;
}

/** A connection that says nothing is asked this often whether it still lives. */
const heartbeatMs = 5000;

/** Holds one connection of its own, since a pooled one would be given to others. */
export async function listenOn(options: ListenOptions): Promise<Listening> {
  const abort = new AbortController();
  let client = await connect(options);
  let lost = whenLost(client, abort.signal);

  const supervise = async (): Promise<void> => {
    for (let attempt = 1; !isAborted(abort.signal);) {
      await lost;
      await client.end().catch(() => undefined);
      if (isAborted(abort.signal)) return;
      await sleep(backoffMs(attempt, 100, 5000), undefined, { signal: abort.signal }).catch(
        () => undefined,
      );
      try {
        client = await connect(options);
        lost = whenLost(client, abort.signal);
        attempt = 1;
      } catch (error) {
        attempt += 1;
        options.logger.warn({ channel: options.channel, err: error }, 'cannot listen');
      }
    }
  };
  const supervised = supervise();
  return {
    close: async () => {
      abort.abort();
      await supervised;
      await client.end().catch(() => undefined);
    },
  };
}

async function connect({ channel, handler, config }: ListenOptions): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  client.on('notification', (message) => {
    handler(message.payload ?? '');
  });
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw classify(error);
  }
  handler(undefined);
  return client;
}

/** Resolves when the connection has ended, does not answer any more, or is wanted no longer. */
async function whenLost(client: pg.Client, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  client.once('end', end);
  client.once('error', end);
  signal.addEventListener('abort', end, { once: true });
  while (!isAborted(ended.signal)) {
    await sleep(heartbeatMs, undefined, { signal: ended.signal }).catch(() => undefined);
    if (isAborted(ended.signal)) return;
    await client.query('select 1').catch(end);
  }
}

/** A function, because the compiler takes a signal's state for constant within a loop. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
