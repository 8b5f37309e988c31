import { pathToFileURL } from 'node:url';
import { packageDirectory } from '#infra/runtime';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { ServerProcess, stopLeftOver } from '#infra/local-servers';

/** Settings of an app that the launcher runs. */
export interface NodeChildOptions {
  /** Its folder under `apps/`. */
  readonly app: string;
  readonly env: Readonly<Record<string, string>>;
  /** The upper limit of V8's old generation, so that all processes together stay small. */
  readonly heapMb: number;
  /** Resolves when the child is up. */
  readonly ready: () => Promise<void>;
  /** The time between SIGTERM and SIGKILL. */
  readonly stopWaitMs: number;
}

const startDeadlineMs = 45_000;
const stopSignals = ['SIGTERM', 'SIGKILL'] as const;

/** @throws ServerError with the child's last words if it does not come up */
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
 * Waits for the children that a killed launcher left: they end by themselves within 5 s. It ends the others here, if
 * their pid and start time are the recorded ones.
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
