import { EventStore, type Position } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type FastifyReply } from 'fastify';
import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotReached, projectedPrefixes, requireReached, ViewProgress } from '#views/view-set';
import { type Caller } from './authentication/caller.js';
import { problem } from './errors.js';

/** The headers of an answer from a view, for its documentation. */
export const viewHeaders = {
  'X-PP-Ledger-Position': 'always',
  'X-PP-Ledger-Time': 'always',
} as const;

/** The headers of an answer from the log itself; only what cannot be told is left out. */
export const logHeaders = { 'X-PP-Ledger-Position': 'sometimes' } as const;

/** The position of the log that the answer reflects (LIST-13). */
export function showPosition(reply: FastifyReply, position: Position | undefined): void {
  if (position !== undefined) void reply.header('X-PP-Ledger-Position', position.toString());
}

/** The position, and since when the view held all of the log: how fresh it is. */
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
/** Between two answers of the view to one call. */
const pauseMs = 200;

/** `X-PP-Min-Position`: a client that was told a position is answered from there on, so it reads its own writes. */
@Injectable()
export class MinPosition {
  /** The log's end as last seen: what lies before it needs no asking. */
  #end = 0n;

  constructor(
    private readonly views: ViewProgress,
    private readonly store: EventStore,
  ) {}

  /**
   * For what is answered from the log itself, which is never behind.
   * @throws Problem invalid_position, DependencyUnavailable
   */
  async check({ minPosition }: Caller): Promise<void> {
    await this.known(minPosition);
  }

  /**
   * For what is answered from a view: waits until it holds the position.
   * @throws Problem invalid_position, DependencyUnavailable (also where the view does not get there in time)
   */
  async reach({ minPosition }: Caller): Promise<void> {
    const position = await this.known(minPosition);
    if (position !== undefined) await this.wait(position);
  }

  /**
   * What a view answers after `reach` or `asOf`. It was seen to hold the position; another server may answer since, which
   * is behind, and is asked again as long as the view is waited for.
   * @param minPosition of the caller, where the answer is as of now
   * @param read undefined where there is nothing to tell, and so no position
   * @throws DependencyUnavailable where the answer is still from before the position; whatever `read` throws
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
   * `X-PP-At-Position`, for what can be answered as of a position: waits for the view as `reach` does, for whichever of
   * the two positions is later.
   * @returns undefined where the answer is to be as of now
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
