import { ForeignMasterKey } from '#adapters/keys';
import { SettingsError } from '#infra/runtime';
import { Launcher } from './launcher.js';
import { StartRefused } from './refusal.js';
import { ServerError } from '#infra/local-servers';

process.title = 'pesapost-launcher';
// Warnings of Node's own, such as DEP0123 of a TLS address, are nothing that a person here can act on.
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
// The channel exists under scripts/start.mjs; where that is gone, nobody is left to stop this.
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

/** Refusals are one line each (settings: one per setting); anything else is a defect, with its stack. */
function explain(error: unknown): string {
  const kinds = [StartRefused, SettingsError, ServerError, ForeignMasterKey];
  if (error instanceof Error)
    return kinds.some((kind) => error instanceof kind)
      ? error.message
      : (error.stack ?? error.message);
  return String(error);
}

/**
 * Shows a line to the person at the terminal; one who has gone away does not end the service, and what one who reads no
 * more leaves unread stays small.
 */
function say(line: string): void {
  if (process.stdout.writableLength < maxUnreadBytes) process.stdout.write(`${line}\n`);
}
