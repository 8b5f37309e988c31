import { mkdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { packageDirectory } from '#infra/runtime';
import { ServerProcess } from '#infra/local-servers';
import { type Fixture } from './fixture.js';

export interface NodeProcessOptions {
  readonly name: string;
  /** Under dist, without `.js`. */
  readonly module: string;
  /** Logs and pid file. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The process is ready when this port accepts connections. */
  readonly port: number;
  /** A floor is no part of the service, so its profile is not needed. */
  readonly isFloor?: boolean;
}

/** Starts a module of dist as a process of its own, and waits until its port answers. */
export async function startNode(
  fixture: Fixture,
  { name, module, folder, env, port, isFloor = false }: NodeProcessOptions,
): Promise<ServerProcess> {
  const { profile } = fixture;
  await mkdir(folder, { recursive: true });
  const profiling =
    profile === undefined || isFloor
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}-${port}.cpuprofile`];
  const server = await ServerProcess.start({
    name,
    command: process.execPath,
    args: [...profiling, packageDirectory('dist', `${module}.js`)],
    cwd: packageDirectory(),
    env,
    logFile: join(folder, `${name}.log`),
    pidFile: join(folder, `${name}.pid.json`),
    stopSignals: ['SIGTERM', 'SIGKILL'],
    stopWaitMs: 20_000,
    startDeadlineMs: 45_000,
    ready: () => answers(port),
    channel: true,
  });
  return fixture.keep(server);
}

async function answers(port: number): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1000) });
  } finally {
    socket.destroy();
  }
}
