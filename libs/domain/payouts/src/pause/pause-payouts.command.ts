import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  type Merchant,
  merchantDecider,
  type MerchantEvent,
  merchantStream,
  type PauseEvent,
} from '#domain/merchants';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { modesOf, type Pauses, pausesDecider, pausesOf, pausesStream } from './pauses.js';

/** The payouts that an operator pauses or resumes: of one merchant or of all, in a mode or in both. */
export interface PauseScope {
  readonly merchantId?: string;
  readonly mode?: Mode;
}

/** `unchanged`: they were paused already; the new pause is recorded all the same. */
export type Pausing = 'paused' | 'unchanged';

/**
 * Pauses payouts: no further payout of the scope is given to a rail (PAY-47). One operator is enough. In the metadata
 * the reason is required.
 */
export class PausePayouts extends Command<Result<Pausing, 'unknown_merchant'>> {
  constructor(
    readonly scope: PauseScope,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(PausePayouts)
export class PausePayoutsHandler implements ICommandHandler<PausePayouts> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ scope, metadata }: PausePayouts): Promise<Result<Pausing, 'unknown_merchant'>> {
    const before = { isPaused: false };
    const done = await appendPause(this.pipeline, { scope, metadata }, ({ paused }) => {
      before.isPaused = modesOf(scope.mode).every((each) => paused.includes(each));
      return decidePause(scope);
    });
    return done.ok ? ok(before.isPaused ? 'unchanged' : 'paused') : done;
  }
}

/** Appends the decided event to the stream of the scope. */
export async function appendPause<Refusal>(
  pipeline: Pipeline,
  { scope, metadata }: { readonly scope: PauseScope; readonly metadata: CommandMetadata },
  decide: (pauses: Pauses) => Result<readonly PauseEvent[], Refusal>,
): Promise<Result<undefined, Refusal | 'unknown_merchant'>> {
  const { merchantId } = scope;
  if (merchantId === undefined) {
    const step = { decider: pausesDecider, stream: pausesStream, metadata };
    const done = await pipeline.run(step, decide);
    return done.ok ? ok(undefined) : done;
  }
  const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
  const done = await pipeline.run<Merchant, MerchantEvent, Refusal | 'unknown_merchant'>(
    step,
    (state) => (state.kind === 'none' ? refuse('unknown_merchant') : decide(pausesOf(state))),
  );
  return done.ok ? ok(undefined) : done;
}

/** A second pause is an event as well: what was proposed to end the first one does not end the second. */
function decidePause({ mode }: PauseScope): Result<readonly PauseEvent[], never> {
  const data = mode === undefined ? {} : { mode };
  return ok([{ type: 'PayoutsPaused', data }]);
}
