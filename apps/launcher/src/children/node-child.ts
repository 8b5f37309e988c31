import { pathToFileURL } from 'node:url';
import { packageDirectory } from '#infra/postgres';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { ServerProcess, stopLeftOver } from '#infra/local-servers';

/** One of the apps, as the launcher runs it. */
export interface NodeChildOptions {
  /** Its folder under `apps/`. */
  readonly app: string;
  readonly env: Readonly<Record<string, string>>;
  /** V8's old generation at most, so that all processes together stay small. */
  readonly heapMb: number;
  /** Resolves where it is up. */
  readonly ready: () => Promise<void>;
  /** From SIGTERM to SIGKILL. */
  readonly stopWaitMs: number;
}

const startDeadlineMs = 45_000;
const stopSignals = ['SIGTERM', 'SIGKILL'] as const;

/** @throws ServerError with the child's last words where it does not come up */
export function startNodeChild(
  directory: DataDirectory,
  { app, env, heapMb, ready, stopWaitMs }: NodeChildOptions,
  signal: AbortSignal,
): Promise<ServerProcess> {
  return ServerProcess.start({
    name: `pesapost-${app}`,
    command: process.execPath,
    args: [
      `--max-old-space-size=${heapMb}`,
      ...['--import', guardUrl()],
      packageDirectory('dist', 'apps', app, 'src', 'main.js'),
    ],
    cwd: packageDirectory(),
    env,
    logFile: directory.logFile(app),
    pidFile: pidFileOf(directory, app),
    stopSignals,
    stopWaitMs,
    startDeadlineMs,
    ready,
    channel: true,
    signal,
  });
}

/**
 * Waits for the children that a killed launcher left: they end by themselves within 5 s, and those that do not
 * are ended here, where pid and start time are those noted.
 */
export async function endLeftOverChildren(
  directory: DataDirectory,
  apps: readonly string[],
): Promise<void> {
  await Promise.all(
    apps.map((app) =>
      stopLeftOver({
        name: `pesapost-${app}`,
        pidFile: pidFileOf(directory, app),
        stopSignals,
        stopWaitMs: 6000,
      }),
    ),
  );
}

function pidFileOf(directory: DataDirectory, app: string): string {
  return directory.join(`${app}.pid.json`);
}

function guardUrl(): string {
  return pathToFileURL(
    packageDirectory('dist', 'apps', 'launcher', 'src', 'children', 'end-with-parent.js'),
  ).href;
}
