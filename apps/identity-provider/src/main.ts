import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Passkeys } from './passkeys.js';
import { identityProvider } from './provider.js';
import { readSettings } from './settings.js';

const requestTimeoutMs = 10_000;
/** The limit for a shutdown that hangs. It loses nothing, because nothing here must last. */
const shutdownLimitMs = 3000;

process.title = 'pesapost-identity-provider';
// Node would write its own warnings to stderr as plain text, among the JSON lines.
process.removeAllListeners('warning');
process.on('warning', ({ name, message: msg }) => {
  process.stdout.write(`${JSON.stringify({ level: 'warn', warning: name, msg })}\n`);
});
const asked = askedToStop();
try {
  const settings = await readSettings(process.env);
  const passkeys = await Passkeys.open(settings.passkeysFile);
  const servers = await listenLocally(identityProvider(settings, passkeys), settings.port);
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port: settings.port })}\n`);
  await asked;
  setTimeout(() => process.exit(0), shutdownLimitMs).unref();
  await Promise.all(servers.map(stop));
  process.exit(0);
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`the identity provider failed: ${why}\n`);
  process.exit(1);
}

/** Listens from the first moment on: the parent may go away before this process is ready. */
function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        resolve();
      });
    // The launcher's end of the channel closes when the launcher dies in any way.
    process.on('disconnect', () => {
      resolve();
    });
  });
}

/** For browsers `localhost` means both addresses, or only the IPv4 one if the machine has no other. */
async function listenLocally(listener: RequestListener, port: number): Promise<readonly Server[]> {
  const first = await listening(listener, port, '127.0.0.1');
  try {
    return [first, await listening(listener, port, '::1')];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [first];
    throw error;
  }
}

async function listening(listener: RequestListener, port: number, host: string): Promise<Server> {
  const server = createServer({ requestTimeout: requestTimeoutMs }, listener);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
