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
import { modesOf, type Pauses, pausedOf, pausesDecider, pausesStream } from './pauses.js';

/** The payouts that an operator pauses or resumes: of one merchant or of all, in a mode or in both. */
export interface PauseScope {
  readonly merchantId?: string;
  readonly mode?: Mode;
}

/** `unchanged`: they were paused already. */
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
    const done = await appendPause(this.pipeline, { scope, metadata }, (paused) =>
      decidePause(scope, paused),
    );
    return done.ok ? ok(done.value ? 'paused' : 'unchanged') : done;
  }
}

/**
 * Appends the decided event to the stream of the scope.
 * @returns true if an event was appended
 */
export async function appendPause<Refusal>(
  pipeline: Pipeline,
  { scope, metadata }: { readonly scope: PauseScope; readonly metadata: CommandMetadata },
  decide: (
    paused: readonly Mode[],
    carriedOut: ReadonlySet<string>,
  ) => Result<readonly PauseEvent[], Refusal>,
): Promise<Result<boolean, Refusal | 'unknown_merchant'>> {
  const { merchantId } = scope;
  if (merchantId === undefined) {
    const step = { decider: pausesDecider, stream: pausesStream, metadata };
    const done = await pipeline.run(step, ({ paused, carriedOut }: Pauses) =>
      decide(paused, carriedOut),
    );
    return done.ok ? ok(done.value.appended !== undefined) : done;
  }
  const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
  const done = await pipeline.run<Merchant, MerchantEvent, Refusal | 'unknown_merchant'>(
    step,
    (state) =>
      state.kind === 'none'
        ? refuse('unknown_merchant')
        : decide(pausedOf(state), state.carriedOut),
  );
  return done.ok ? ok(done.value.appended !== undefined) : done;
}

/** A second pause adds nothing. */
export function decidePause(
  { mode }: PauseScope,
  paused: readonly Mode[],
): Result<readonly PauseEvent[], never> {
  const isPaused = modesOf(mode).every((each) => paused.includes(each));
  const data = mode === undefined ? {} : { mode };
  return ok(isPaused ? [] : [{ type: 'PayoutsPaused', data }]);
}
