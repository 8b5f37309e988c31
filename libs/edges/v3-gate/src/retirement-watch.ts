import { Database } from '#infra/postgres';
import { isV3Retired, v3RetirementChannel } from '#views/v3-usage';
import { Loop, Metrics } from '#infra/runtime';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { V3GateOptions } from './v3-gate.options.js';

/** `unknown`: V3 may be retired, so it may serve no caller. */
export type RetirementState = 'in_service' | 'retired' | 'unknown';

/**
 * How long the last answer is trusted. A query that fails is repeated every second or two, so it takes several failures
 * before V3 is refused. Without Postgres V3 could not identify its callers anyway.
 */
const believedMs = 10_000;

/** The last known state of V3's end, and for how long it counts. Times are of a clock that only rises. */
export class KnownRetirement {
  private seen: { readonly retired: boolean; readonly atMs: number } | undefined;

  /** @param atMs the time of the question: an answer is as old as its question */
  learn(retired: boolean, atMs: number): void {
    // If two reads overlap, "retired" wins, because V3 never returns to service.
    if (this.seen?.retired !== true) this.seen = { retired, atMs };
  }

  /** Returns the state at a time. Once retired, V3 stays retired, however old the last read. */
  at(nowMs: number): RetirementState {
    if (this.seen?.retired === true) return 'retired';
    if (!this.seen || nowMs - this.seen.atMs > believedMs) return 'unknown';
    return 'in_service';
  }
}

const lookEveryMs = 1000;
/** When the process ends, it does not wait longer than this for a statement. */
const stopDeadlineMs = 1000;
const maxBackoffMs = 2000;

/** Keeps this replica's state of V3's end. The projector announces it, and the loop also reads it every second. */
@Injectable()
export class RetirementWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly known = new KnownRetirement();
  private readonly loop: Loop;

  constructor(
    private readonly database: Database,
    metrics: Metrics,
    { logger }: V3GateOptions,
  ) {
    this.loop = new Loop({
      name: 'v3-retirement-watch',
      step: () => this.look(),
      idleMs: lookEveryMs,
      maxBackoffMs,
      stopDeadlineMs,
      logger,
      metrics,
    });
    metrics.gauge({
      name: 'v3_retired',
      help: '1 where this process knows that V3 is retired, 0 where that it is not, NaN where it does not know',
      collect: () => ({ in_service: 0, retired: 1, unknown: NaN })[this.state()],
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    // The first requests find an answer. If there is none yet, the loop asks again.
    await this.look().catch(() => undefined);
    this.loop.start();
    await this.database.listen(v3RetirementChannel, () => {
      this.loop.wake();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  state(): RetirementState {
    return this.known.at(performance.now());
  }

  private async look(): Promise<'idle'> {
    if (this.state() === 'retired') return 'idle';
    const atMs = performance.now();
    this.known.learn(await isV3Retired(this.database), atMs);
    return 'idle';
  }
}
