import { type Logger } from './logger.js';
import { type CrashAt } from './settings-values.js';

/**
 * The moments between two I/O calls at which a test kills the process (docs/adr/0015). The adapters define them, so new
 * flows have their crash points without any code of their own.
 */
interface CrashPoints {
  /**
   * `before`: nothing has left this process yet. `after`: the answer has arrived and no code has acted on it. The full
   * name is `<adapter>:<what>:<moment>`, such as `eventstore:append RailConfirmed,WalletPosted:after`.
   */
  pass(adapter: string, what: string, moment: 'before' | 'after'): void;
}

/**
 * Undefined unless CRASH_AT is set. Adapters write `crashPoints?.pass(…)`: reading one variable is then the whole cost,
 * and no name is built. The variable belongs to the process, as the crash does.
 */
export let crashPoints: CrashPoints | undefined;

/** Call this once, before the process connects to any server. */
export function armCrashPoints(crashAt: CrashAt, logger: Logger): void {
  const passes = new Map<string, number>();
  crashPoints = {
    pass: (adapter, what, moment) => {
      const point = `${adapter}:${what}:${moment}`;
      const pass = (passes.get(point) ?? 0) + 1;
      passes.set(point, pass);
      if (crashAt.kind === 'trace') {
        logger.info({ point, pass }, 'passed a crash point');
        // The test reads the trace as soon as the flow is over.
        logger.flush();
      } else if (point === crashAt.point && pass === crashAt.pass) {
        logger.fatal({ point, pass }, 'dies at a crash point');
        process.kill(process.pid, 'SIGKILL');
      }
    },
  };
}
