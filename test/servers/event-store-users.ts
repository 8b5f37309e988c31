import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '#testing';

interface Given {
  readonly adminUrl: string;
  readonly userUrl: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A request to make a user, as the event store gets it. */
interface UserRequest {
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/**
 * Runs docker/eventstore-user.mjs twice, as two starts of docker compose do. The embedded store has no page for users, so
 * another server answers as EventStoreDB documents it: 201, then 409.
 * @returns the requests for a user
 */
export async function makeEventStoreUser(given: Given): Promise<readonly UserRequest[]> {
  const requests: UserRequest[] = [];
  const pages = createServer(
    { cert: await readFile(given.certificate), key: await readFile(given.key) },
    (request, response) => {
      void text(request).then((body) => {
        const { authorization } = request.headers;
        requests.push({ authorization, body: JSON.parse(body) as unknown });
        response.writeHead(requests.length === 1 ? 201 : 409).end();
      });
    },
  ).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const { port } = pages.address() as AddressInfo;
  const env = {
    ...inheritedEnvironment(),
    NODE_EXTRA_CA_CERTS: given.authority,
    EVENTSTORE_ADMIN_URL: given.adminUrl,
    EVENTSTORE_URL: given.userUrl,
    EVENTSTORE_USERS_URL: `https://127.0.0.1:${port}/users`,
  };
  const start = () =>
    promisify(execFile)(process.execPath, ['docker/eventstore-user.mjs'], { env });
  try {
    await start();
    // The next start finds the user.
    await start();
  } finally {
    pages.close();
    pages.closeAllConnections();
  }
  return requests;
}
