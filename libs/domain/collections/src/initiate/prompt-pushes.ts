import { type Clock } from '#domain/kernel';
import { isTooLateToSend, type PushOutcome, type PushRequest, type Rail } from '#domain/rails';

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
