import { type Logger } from './logger.js';
import { type CrashAt } from './settings-values.js';

/**
 * The moments between two I/O calls at which a test kills the process (docs/adr/0015). They stand where the
 * adapters meet their servers, so a flow that is written later has its crash points without a line of its own.
 */
interface CrashPoints {
  /**
   * `before`: nothing has left this process yet. `after`: the answer has arrived and nobody has acted on it.
   * Together they are named `<adapter>:<what>:<moment>`, such as `eventstore:append RailConfirmed,WalletPosted:after`.
   */
  pass(adapter: string, what: string, moment: 'before' | 'after'): void;
}

/**
 * Undefined unless CRASH_AT is set. Adapters write `crashPoints?.pass(…)`: then one look at a variable is the whole
 * cost, and no name is put together. It is the process's, as the death is.
 */
export let crashPoints: CrashPoints | undefined;

/** Called once, before the process meets any server. */
export function armCrashPoints(crashAt: CrashAt, logger: Logger): void {
  const passes = new Map<string, number>();
  crashPoints = {
    pass: (adapter, what, moment) => {
      const point = `${adapter}:${what}:${moment}`;
      const pass = (passes.get(point) ?? 0) + 1;
      passes.set(point, pass);
      if (crashAt.kind === 'trace') {
        logger.info({ point, pass }, 'passed a crash point');
        // Whoever reads the trace does so as soon as the flow is over.
        logger.flush();
      } else if (point === crashAt.point && pass === crashAt.pass) {
        logger.fatal({ point, pass }, 'dies at a crash point');
        process.kill(process.pid, 'SIGKILL');
      }
    },
  };
}
