import { Database } from '#infra/postgres';
import { isV3Retired, v3RetirementChannel } from '#views/v3-usage';
import { Loop, Metrics } from '#infra/runtime';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { V3GateOptions } from './v3-gate.options.js';

/** `unknown`: nobody may be served by V3, for it may be retired. */
export type RetirementState = 'in_service' | 'retired' | 'unknown';

/**
 * For so long the last answer is believed. A query that fails is repeated every second or two, so it takes several
 * failures before V3 is refused; and without Postgres V3 could not tell its callers apart anyway.
 */
const believedMs = 10_000;

/** What was last seen of V3's end, and for how long that says anything. Times are of a clock that only rises. */
export class KnownRetirement {
  private seen: { readonly retired: boolean; readonly atMs: number } | undefined;

  /** @param atMs when it was asked: an answer is as old as its question */
  learn(retired: boolean, atMs: number): void {
    // Of two looks that overtake each other the end is the truth: there is no way back.
    if (this.seen?.retired !== true) this.seen = { retired, atMs };
  }

  /** What is retired stays retired, however old the news. */
  at(nowMs: number): RetirementState {
    if (this.seen?.retired === true) return 'retired';
    if (!this.seen || nowMs - this.seen.atMs > believedMs) return 'unknown';
    return 'in_service';
  }
}

const lookEveryMs = 1000;
/** A statement that is not answered is not waited for when the process ends. */
const stopDeadlineMs = 1000;
const maxBackoffMs = 2000;

/** What this replica knows of V3's end: announced by the projector, and looked up every second whatever is announced. */
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
    // The first requests find an answer; where there is none yet, the loop goes on asking.
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
