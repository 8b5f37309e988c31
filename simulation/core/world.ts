import { type Faults } from './faults.js';
import { type Scheduler } from './scheduler.js';
import { type Trace } from './trace.js';

export type ServerName = 'event store' | 'records' | 'redis' | 'rail' | 'airtel' | 'api';

/** A time in which a server gives no answers. */
export interface Outage {
  readonly server: ServerName;
  /** The names of the processes that cannot reach it; absent if no process can. */
  readonly of?: ReadonlySet<string>;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A broken invariant. */
export interface Violation {
  readonly invariant: string;
  readonly why: string;
}

/** The shared parts of one schedule. */
export class World {
  violation: Violation | undefined;
  readonly outages: Outage[] = [];

  constructor(
    readonly seed: number,
    readonly scheduler: Scheduler,
    readonly faults: Faults,
    readonly trace: Trace,
  ) {}

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** True if the server gives this process no answer now. @param process its name */
  isDown(server: ServerName, process: string): boolean {
    return this.outages.some(
      (outage) =>
        outage.server === server &&
        outage.fromMs <= this.nowMs &&
        this.nowMs < outage.untilMs &&
        (outage.of?.has(process) ?? true),
    );
  }

  tell(text: () => string): void {
    this.trace.tell(text);
  }

  /** Records a violation. Only the first one counts, because later ones may follow from it. */
  violate(invariant: string, why: string): void {
    this.violation ??= { invariant, why };
  }
}
