import { type AdminServerOptions, startAdminServer } from './admin-server.js';
import { Loop, type LoopOptions } from './loop.js';
import { type ProcessContext } from './process-context.js';
import { onTermination, type ShutdownStep } from './termination.js';

/** The time for a loop's step in flight; closing the rest takes less than a second. */
const loopStopDeadlineMs = 8000;
/** The time for all steps together, well below the 15 s after which the launcher kills. */
const shutdownDeadlineMs = 10_000;

export interface RunLoopsOptions extends Pick<AdminServerOptions, 'checks' | 'extra'> {
  readonly loops: readonly Pick<
    LoopOptions,
    'name' | 'step' | 'idleMs' | 'maxBackoffMs' | 'stalledAfterMs'
  >[];
  /** Dependencies of the loops, closed after them. */
  readonly closing: readonly ShutdownStep[];
}

/** Runs loops and an admin server until a signal ends the process. @returns the admin server's port */
export async function runLoops(
  { logger, metrics, settings }: ProcessContext,
  { loops, closing, ...shown }: RunLoopsOptions,
): Promise<number> {
  const running = loops.map(
    (loop) => new Loop({ ...loop, stopDeadlineMs: loopStopDeadlineMs, logger, metrics }),
  );
  const admin = await startAdminServer({
    host: settings.adminHost,
    port: settings.adminPort,
    registry: metrics.registry,
    ...shown,
  });
  onTermination(
    logger,
    [
      { name: 'loops', run: () => Promise.all(running.map((loop) => loop.stop())) },
      { name: 'admin server', run: () => admin.close() },
      ...closing,
    ],
    shutdownDeadlineMs,
  );
  // A process that stops finishes the work that these begin.
  for (const loop of running) loop.start();
  logger.info({ adminPort: admin.port }, 'listening');
  return admin.port;
}
