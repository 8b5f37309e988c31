import { type Clock } from '#domain/kernel';
import { type PushOutcome, type PushRequest, type Rail } from '../rail.js';

/**
 * The most time from before the append that permits the send, until the request goes to the rail. The event store
 * answers within 5 s or not at all. A process that takes longer than this was suspended in between, and people may have
 * decided meanwhile.
 */
const maxBeforeSendingMs = 30_000;

/** @param fromMs a time before the append */
export function isTooLateToSend(fromMs: number, nowMs: number): boolean {
  return nowMs - fromMs > maxBeforeSendingMs;
}

/** No prompt was shown, and none will be. */
const notPushed: PushOutcome = { kind: 'refused', failureCode: 'not_sent' };

/** Sends pushes to the rail at once or never (COL-31). */
export class PromptPushes {
  constructor(
    private readonly rail: Rail,
    private readonly clock: Clock,
  ) {}

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** @param fromMs a time before the intent was appended */
  push(fromMs: number, request: PushRequest): Promise<PushOutcome> {
    return isTooLateToSend(fromMs, this.nowMs())
      ? Promise.resolve(notPushed)
      : this.rail.push(request);
  }
}
