import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type PauseEvent } from '#domain/merchants';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { appendPause, type PauseScope } from './pause-payouts.command.js';
import { modesOf } from './pauses.js';

/**
 * `not_paused`: no pause of this scope is open; one of all merchants is not one of a merchant. `second_admin_needed`: one
 * person alone does not let live money out again.
 */
export type ResumeRefusal = 'unknown_merchant' | 'not_paused' | 'second_admin_needed';

/** Ends a pause. In live mode two people decide. Metadata: the reason is needed. */
export class ResumePayouts extends Command<Result<undefined, ResumeRefusal>> {
  constructor(
    readonly scope: PauseScope,
    /** Both people, if two decided. */
    readonly by: { readonly proposedBy?: string; readonly confirmedBy?: string },
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(ResumePayouts)
export class ResumePayoutsHandler implements ICommandHandler<ResumePayouts> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ scope, by, metadata }: ResumePayouts): Promise<Result<undefined, ResumeRefusal>> {
    const done = await appendPause(this.pipeline, { scope, metadata }, (paused) =>
      decideResume({ ...scope, ...by }, paused),
    );
    return done.ok ? ok(undefined) : done;
  }
}

export function decideResume(
  { mode, proposedBy, confirmedBy }: PauseScope & ResumePayouts['by'],
  paused: readonly Mode[],
): Result<readonly PauseEvent[], 'not_paused' | 'second_admin_needed'> {
  const areTwo =
    proposedBy !== undefined && confirmedBy !== undefined && proposedBy !== confirmedBy;
  if (modesOf(mode).includes('live') && !areTwo) return refuse('second_admin_needed');
  if (!modesOf(mode).some((each) => paused.includes(each))) return refuse('not_paused');
  const data = {
    ...(mode === undefined ? {} : { mode }),
    ...(proposedBy === undefined ? {} : { proposedBy }),
    ...(confirmedBy === undefined ? {} : { confirmedBy }),
  };
  return ok([{ type: 'PayoutsResumed', data }]);
}
