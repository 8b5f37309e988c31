import { join } from 'node:path';
import { freePort, type ServerProcess } from '#infra/local-servers';
import { type Fixture } from './fixture.js';
import { startNode } from './node-process.js';

export interface StoreServer {
  readonly process: ServerProcess;
  readonly url: string;
  /** The folder of its data, for reading after it has stopped. */
  readonly directory: string;
}

interface StoreOptions {
  /** An existing log; if absent, a new one. */
  readonly directory?: string;
  /** If absent, a free one. */
  readonly port?: number;
}

/** The embedded event store. */
export async function startEventStore(
  fixture: Fixture,
  { directory, port: given }: StoreOptions = {},
): Promise<StoreServer> {
  const folder = await fixture.folder('eventstore');
  const data = directory ?? join(folder, 'data');
  const port = given ?? (await freePort());
  const process = await startNode(fixture, {
    name: 'embedded-eventstore',
    module: 'apps/embedded-eventstore/src/main',
    folder,
    env: {
      EMBEDDED_EVENTSTORE_DIR: data,
      EMBEDDED_EVENTSTORE_PORT: String(port),
      CLOCK_OFFSET: '0',
    },
    port,
  });
  return { process, url: `esdb://127.0.0.1:${port}?tls=false`, directory: data };
}
