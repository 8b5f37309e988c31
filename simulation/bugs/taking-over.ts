import { invariants } from '../oracle/invariants.js';
import { type Bug } from './bug.js';

/** Events on their way to a region that does not confirm them. */
const behindMs = 5000;

export const takingOverBugs: readonly Bug[] = [
  {
    name: 'log-behind-at-takeover',
    does: 'the passive region takes over with a log that lacks the last five seconds',
    breaks: [invariants.onePush],
    parts: (standard, { log, world }) => ({
      loseAtTakeover: () => {
        standard.loseAtTakeover();
        log.forgetSince(world.nowMs - behindMs);
      },
    }),
  },
];
