import { withDeadline } from './deadline.js';
import { exitFlushed, type Logger } from './logger.js';
import { tracing } from './tracing.js';

const orphaned = 'the parent process ended';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Handles a signal while the process is starting. */
let endStarting: (() => void) | undefined;

/**
 * Until `onTermination` is called, SIGINT and SIGTERM end the process at once, with 0: it has begun nothing. Without a
 * handler, the first process of a container would ignore them, begin its work, and be killed in the middle of it
 * (OPS-3).
 */
export function endWhileStarting(logger: Logger): void {
  const end = (): void => {
    logger.info({ why: 'told to stop while starting' }, 'stopped');
    exitFlushed(logger, 0);
  };
  for (const signal of signals) process.on(signal, end);
  endStarting = end;
}

/** One thing to close, in order: first the sources of work, last the dependencies of work. */
export interface ShutdownStep {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/**
 * On SIGINT, SIGTERM or the end of the parent's IPC channel: runs the steps in order, once, and exits 0. A step that
 * fails is logged and the next one runs. After `deadlineMs` in all the process exits 1, whatever hangs.
 */
export function onTermination(
  logger: Logger,
  steps: readonly ShutdownStep[],
  deadlineMs: number,
): { readonly terminate: (why: string) => void } {
  let ending = false;
  const terminate = (why: string): void => {
    if (ending) return;
    ending = true;
    logger.info({ why }, 'stopping');
    void runSteps(logger, steps, deadlineMs).then((exitCode) => {
      logger.info({ exitCode }, 'stopped');
      exitFlushed(logger, exitCode);
    });
  };
  for (const signal of signals) {
    process.on(signal, () => {
      terminate(signal);
    });
    if (endStarting) process.off(signal, endStarting);
  }
  // If the parent is gone, this process has no purpose; the channel exists only under `npm start`.
  process.on('disconnect', () => {
    terminate(orphaned);
  });
  // The parent may have gone while this process was still starting: the event is over then.
  if (process.send !== undefined && !process.connected) terminate(orphaned);
  endOnUncaught(logger);
  return { terminate };
}

let endsOnUncaught = false;

/** Logs an uncaught error and ends the process with 1: its state is no longer known. */
export function endOnUncaught(logger: Logger): void {
  if (endsOnUncaught) return;
  endsOnUncaught = true;
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error, event }, 'an uncaught error');
      exitFlushed(logger, 1);
    });
}

/** The time for which a process that ends waits for the collector of its last spans. */
const lastSpansMs = 1000;

async function closeTracing(logger: Logger): Promise<void> {
  if (!tracing) return;
  try {
    await withDeadline(tracing.close(), lastSpansMs, 'the collector did not take the last spans');
  } catch (error) {
    logger.warn({ err: error }, 'the last spans are lost');
  }
}

async function runSteps(
  logger: Logger,
  steps: readonly ShutdownStep[],
  deadlineMs: number,
): Promise<number> {
  const all = async (): Promise<number> => {
    for (const { name, run } of steps) {
      try {
        await run();
      } catch (error) {
        logger.error({ step: name, err: error }, 'a shutdown step failed');
      }
    }
    await closeTracing(logger);
    return 0;
  };
  try {
    return await withDeadline(all(), deadlineMs, 'shutting down took too long');
  } catch (error) {
    logger.error({ err: error }, 'gave up waiting');
    return 1;
  }
}
