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

/** The embedded event store with a log of its own. */
export async function startEventStore(fixture: Fixture): Promise<StoreServer> {
  const folder = await fixture.folder('eventstore');
  const directory = join(folder, 'data');
  const port = await freePort();
  const process = await startNode(fixture, {
    name: 'embedded-eventstore',
    module: 'apps/embedded-eventstore/src/main',
    folder,
    env: { EMBEDDED_EVENTSTORE_DIR: directory, EMBEDDED_EVENTSTORE_PORT: String(port) },
    port,
  });
  return { process, url: `esdb://127.0.0.1:${port}?tls=false`, directory };
}
