import { EventStore, type Position } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type FastifyReply } from 'fastify';
import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotReached, projectedPrefixes, requireReached, ViewProgress } from '#views/view-set';
import { type Caller } from './authentication/caller.js';
import { problem } from './errors.js';

/** The headers of an answer from a view, for the documentation. */
export const viewHeaders = {
  'X-PP-Ledger-Position': 'always',
  'X-PP-Ledger-Time': 'always',
} as const;

/** The headers of an answer from the log itself. The position is left out only if it is unknown. */
export const logHeaders = { 'X-PP-Ledger-Position': 'sometimes' } as const;

/** Sets the position of the log that the answer reflects (LIST-13). */
export function showPosition(reply: FastifyReply, position: Position | undefined): void {
  if (position !== undefined) void reply.header('X-PP-Ledger-Position', position.toString());
}

/** Sets the position, and the time since which the view had all of the log, which shows how fresh the answer is. */
export function showFreshness(
  reply: FastifyReply,
  { position, asOf }: { readonly position: Position; readonly asOf: Instant },
): void {
  showPosition(reply, position);
  void reply.header('X-PP-Ledger-Time', asOf);
}

/** How long an answer waits for the views (LIST-14). */
export const maxWaitMs = 2000;

export const minPositionPattern = /^(?:0|[1-9][0-9]{0,18})$/;
const largest = 2n ** 63n - 1n;
/** The pause between two reads of the view for one call. */
const pauseMs = 200;

/**
 * `X-PP-Min-Position`: a client that names a position gets an answer from that position or later, so it reads its own
 * writes.
 */
@Injectable()
export class MinPosition {
  /** The log's end as last seen. A position before it needs no query. */
  #end = 0n;

  constructor(
    private readonly views: ViewProgress,
    private readonly store: EventStore,
  ) {}

  /**
   * Checks the position for an answer from the log itself, which is never behind.
   * @throws Problem invalid_position, DependencyUnavailable
   */
  async check({ minPosition }: Caller): Promise<void> {
    await this.known(minPosition);
  }

  /**
   * Waits until the view has the position, for an answer from a view.
   * @throws Problem invalid_position, DependencyUnavailable (also if the view does not get there in time)
   */
  async reach({ minPosition }: Caller): Promise<void> {
    const position = await this.known(minPosition);
    if (position !== undefined) await this.wait(position);
  }

  /**
   * Reads a view's answer after `reach` or `asOf`. The view had the position then, but another server that is behind
   * may answer now. It is asked again for as long as the view is waited for.
   * @param minPosition the caller's, if the answer is as of now
   * @param read resolves to undefined if there is no item, and so no position
   * @throws DependencyUnavailable if the answer is still from before the position; also every error of `read`
   */
  async answered<T extends { readonly position: Position } | undefined>(
    { minPosition }: Partial<Pick<Caller, 'minPosition'>>,
    read: () => Promise<T>,
  ): Promise<T> {
    const untilMs = performance.now() + maxWaitMs;
    for (;;)
      try {
        const answer = await read();
        if (answer && minPosition !== undefined)
          requireReached(answer.position, BigInt(minPosition));
        return answer;
      } catch (error) {
        if (!(error instanceof NotReached) || performance.now() + pauseMs > untilMs) throw error;
        await sleep(pauseMs);
      }
  }

  /**
   * Reads `X-PP-At-Position`, for answers that can be given as of a position. Waits for the view as `reach` does, up to
   * the later of the two positions.
   * @returns undefined if the answer is to be as of now
   * @throws Problem invalid_position, DependencyUnavailable
   */
  async asOf(caller: Caller): Promise<Position | undefined> {
    const position = await this.known(caller.atPosition);
    await this.reach(caller);
    if (position !== undefined) await this.wait(position);
    return position;
  }

  private async wait(position: bigint): Promise<void> {
    if (!(await this.views.reach(position, maxWaitMs))) throw new NotReached();
  }

  private async known(text: string | undefined): Promise<bigint | undefined> {
    if (text === undefined) return undefined;
    const position = minPositionPattern.test(text) ? BigInt(text) : undefined;
    if (position === undefined || position > largest) throw problem('invalid_position');
    if (position <= this.#end || this.views.holds(position)) return position;
    const end = await this.store.head(projectedPrefixes);
    if (end > this.#end) this.#end = end;
    if (position > this.#end) throw problem('invalid_position');
    return position;
  }
}
