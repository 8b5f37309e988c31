import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A collector that takes every span and keeps none. */
export async function startTraceSink(): Promise<{
  readonly url: string;
  readonly stop: () => void;
}> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
