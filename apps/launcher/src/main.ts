import { ForeignMasterKey } from '#records/keys';
import { SettingsError } from '#infra/runtime';
import { Launcher } from './launcher.js';
import { StartRefused } from './refusal.js';
import { ServerError } from '#infra/local-servers';

process.title = 'pesapost-launcher';
// A person here cannot act on Node's own warnings, such as DEP0123 about a TLS address.
process.removeAllListeners('warning');

const maxUnreadBytes = 1024 * 1024;

process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const asked = new AbortController();
const ask = (): void => {
  asked.abort();
};
// Ctrl-C reaches this process twice: from the terminal and through npm start.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
// The channel exists under scripts/start.mjs. If that is gone, nothing else can stop this process.
if (process.send !== undefined) process.on('disconnect', ask);

const launcher = new Launcher({ env: process.env, signal: asked.signal, say });
try {
  const baseUrl = await launcher.start();
  say(`ready ${baseUrl}`);
  await askedToStop(asked.signal);
  say('stopping …');
  await launcher.stop();
  process.exit(0);
} catch (error) {
  if (!asked.signal.aborted) process.stderr.write(`${explain(error)}\n`);
  await launcher.stop();
  process.exit(asked.signal.aborted ? 0 : 1);
}

function askedToStop(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

/** Returns one line for a refusal (one per setting for settings). Any other error is a defect, with its stack. */
function explain(error: unknown): string {
  const kinds = [StartRefused, SettingsError, ServerError, ForeignMasterKey];
  if (error instanceof Error)
    return kinds.some((kind) => error instanceof kind)
      ? error.message
      : (error.stack ?? error.message);
  return String(error);
}

/**
 * Shows a line to the person at the terminal. If the terminal is gone, the service goes on; if it reads no more, the
 * unread text stays small.
 */
function say(line: string): void {
  if (process.stdout.writableLength < maxUnreadBytes) process.stdout.write(`${line}\n`);
}
