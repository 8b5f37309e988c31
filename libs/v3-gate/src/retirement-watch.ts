import { Database, v3RetirementChannel } from '#postgres';
import { isV3Retired } from '#read-models';
import { Loop, Metrics } from '#runtime';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { V3GateOptions } from './v3-gate.options.js';

/** `unknown`: nobody may be served by V3, for it may be retired. */
export type KnownRetirement = 'in_service' | 'retired' | 'unknown';

const lookEveryMs = 1000;
/** A statement that is not answered is not waited for when the process ends. */
const stopDeadlineMs = 1000;
const longestBackoffMs = 2000;
/**
 * For so long the last look is believed. A look that fails is repeated every second or two, so it takes several
 * failures before V3 is refused; and without Postgres V3 could not tell its callers apart anyway.
 */
const believedMs = 10_000;

/** What this replica knows of V3's end: announced by the projector, and looked up every second whatever is announced. */
@Injectable()
export class RetirementWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private known: { readonly retired: boolean; readonly atMs: number } | undefined;
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
      maxBackoffMs: longestBackoffMs,
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

  /** What is retired stays retired, however old the news. */
  state(): KnownRetirement {
    if (this.known?.retired === true) return 'retired';
    if (!this.known || performance.now() - this.known.atMs > believedMs) return 'unknown';
    return 'in_service';
  }

  private async look(): Promise<'idle'> {
    if (this.known?.retired === true) return 'idle';
    // The answer is as old as the question.
    const atMs = performance.now();
    this.known = { retired: await isV3Retired(this.database), atMs };
    return 'idle';
  }
}
