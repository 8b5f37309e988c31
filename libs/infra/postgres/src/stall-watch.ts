import { type Logger, type Metrics, stalledLoops } from '#infra/runtime';

/** Reports once that a loop of this process completes no step, and once that it does again (OPS-64). */
export class StallWatch {
  #stalled: readonly string[] = [];

  constructor(
    private readonly metrics: Metrics,
    private readonly logger: Pick<Logger, 'error' | 'info'>,
  ) {}

  /** @returns the names of the loops that complete no step now */
  look(): readonly string[] {
    const [before, now] = [this.#stalled, stalledLoops(this.metrics)];
    this.#stalled = now;
    for (const loop of now)
      if (!before.includes(loop))
        this.logger.error({ code: 'loop_stalled', loop }, 'a loop completes no step');
    for (const loop of before)
      if (!now.includes(loop)) this.logger.info({ loop }, 'a loop completes its steps again');
    return now;
  }
}
