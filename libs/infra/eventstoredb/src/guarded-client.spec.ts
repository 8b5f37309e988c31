import { type EventStoreDBClient, UnavailableError } from '@eventstore/db-client';
import { type Client as GrpcClient } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openClient } from './connection-string.js';
import { GuardedClient } from './guarded-client.js';

const open = (url: string): EventStoreDBClient => openClient(url, () => undefined);

/** Returns a port without a listener. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('a guarded client', () => {
  it('handles an error without rejecting while discovery fails because no server listens', async () => {
    const url = `esdb+discover://127.0.0.1:${await deadPort()}?tls=false`;
    const client = open(`${url}&maxDiscoverAttempts=2&discoveryInterval=50`);
    const guarded = new GuardedClient(client);
    const discovery = guarded.ready().catch((error: unknown) => error);
    const failed = { getChannel: () => ({}) } as unknown as GrpcClient;
    const { handleError } = client as unknown as {
      handleError: (client: GrpcClient, error: Error) => Promise<void>;
    };
    await expect(handleError(failed, new UnavailableError())).resolves.toBeUndefined();
    expect(await discovery).toBeInstanceOf(Error);
    await guarded.close();
  });

  it('lets a server send a megabyte ahead of a busy reader', async () => {
    const server = createHttp2Server().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const guarded = new GuardedClient(open(`esdb://127.0.0.1:${port}?tls=false`));
    const met = new Promise<ServerHttp2Session>((resolve) => server.once('session', resolve));
    const call = guarded.ready().catch(() => undefined);
    const session = await met;
    try {
      await once(session, 'remoteSettings');
      expect(session.remoteSettings.initialWindowSize).toBe(2 ** 20);
      while ((session.state.remoteWindowSize ?? 0) < 2 ** 20) await nextTurn();
    } finally {
      session.destroy();
      await guarded.close();
      await call;
      server.close();
    }
  });

  it('refuses a package whose internals it does not know', () => {
    const other = { disposableStreams: new Set() } as unknown as EventStoreDBClient;
    expect(() => new GuardedClient(other)).toThrow(/not the one that the guards know/);
  });
});
