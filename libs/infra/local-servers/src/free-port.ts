import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ranges from which systems take the ports of outgoing connections: a server that restarts must find its port
 * free, although its clients keep trying to connect.
 */
const anywhere = { lowest: 15_000, highest: 32_000 };
const attempts = 50;
const given = new Set<number>();

/** A port of the loopback address that was free a moment ago, and that this process did not get before. */
export async function freePort({ lowest, highest } = anywhere): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port was found between ${lowest} and ${highest}`);
}

/** @param host if absent, all addresses */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, host, () => {
      resolve(true);
    });
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}
