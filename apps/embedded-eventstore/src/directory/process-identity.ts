import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Names one process for ever: pids are given out again, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process began, in whatever form the system tells it. */
  readonly started: string;
}

/** Fields 3 and 22 of /proc/<pid>/stat, counted behind the name, which may hold spaces and parentheses. */
const STATE_INDEX = 0;
const START_TIME_INDEX = 19;
/** A zombie has ended; only its parent, in a container often nobody, has not asked after it yet. */
const ENDED_STATES = ['Z', 'X'];

/** When the process began; undefined where there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED_STATES.includes(fields[STATE_INDEX] ?? '') ? undefined : fields[START_TIME_INDEX];
  } catch {
    return process.platform === 'linux' ? undefined : startTimeByPs(pid);
  }
}

function startTimeByPs(pid: number): string | undefined {
  try {
    const options = { encoding: 'utf8', timeout: 5000 } as const;
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', pid.toString()], options).trim();
    return started === '' ? undefined : started;
  } catch {
    return undefined;
  }
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startTimeOf(process.pid) ?? '' };
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return startTimeOf(pid) === started;
}
