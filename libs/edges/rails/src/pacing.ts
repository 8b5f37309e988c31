import { Injectable } from '@nestjs/common';
import { Timer } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';
import { RailWorkOptions } from './rail-work-options.js';

/** Pauses between tries of the worker's steps. */
@Injectable()
export class Backoff {
  constructor(
    private readonly timer: Timer,
    private readonly options: RailWorkOptions,
  ) {}

  /** How long to wait before try number `attempt`, see `backoffMs`. */
  ms(attempt: number, firstMs: number, maxMs: number): number {
    return backoffMs(attempt, firstMs, maxMs, this.options.random);
  }

  async pause(attempt: number, firstMs: number, maxMs: number): Promise<void> {
    await this.timer.sleep(this.ms(attempt, firstMs, maxMs));
  }
}
