import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { merchantDecider, merchantStream, type PauseEvent } from '#domain/merchants';
import {
  type Change,
  type Decided,
  type DecidedRefusal,
  type Json,
  mayDecide,
  type ProposalRow,
  ProposalSubject,
  type Weighed,
  type WeighedChange,
} from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { appendPause, type PauseScope } from './pause-payouts.command.js';
import { modesOf, type Pauses, pausesDecider, pausesOf, pausesStream } from './pauses.js';

/** `not_paused`: no pause of this scope is open. A pause of all merchants is not a pause of one merchant. */
export type ResumeRefusal = 'unknown_merchant' | 'not_paused';

/** Ends a pause of payouts. */
export const resumePayouts: Change<PauseScope, undefined, ResumeRefusal> = { kind: 'resume' };

/** In live mode it needs two admins (PEO-30), because waiting payouts are sent after it. */
@Injectable()
export class ResumePayoutsSubject extends ProposalSubject<PauseScope, undefined, ResumeRefusal> {
  override readonly change = resumePayouts;

  constructor(private readonly pipeline: Pipeline) {
    super();
  }

  override write(scope: PauseScope): Json {
    return { ...scope };
  }

  override read(written: Json): PauseScope {
    return written as unknown as PauseScope;
  }

  override async weigh(scope: PauseScope): Promise<Result<WeighedChange, ResumeRefusal>> {
    const { merchantId, mode } = scope;
    const pauses = await this.pausesNow(scope);
    if (!pauses) return refuse('unknown_merchant');
    const weighed = weighResume(scope, pauses);
    if (!weighed.ok) return weighed;
    return ok({
      ...weighed.value,
      about: `${merchantId ?? 'all merchants'} ${mode ?? 'both modes'}`,
      ...(merchantId === undefined ? {} : { merchantId }),
      ...(mode === undefined ? {} : { mode }),
    });
  }

  override describe({ merchantId, mode }: PauseScope): readonly ProposalRow[] {
    return [
      { field: 'merchant', value: merchantId ?? '' },
      { field: 'mode', value: modesOf(mode).join(', ') },
    ];
  }

  override async carryOut(
    scope: PauseScope,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<undefined, ResumeRefusal | DecidedRefusal>> {
    const done = await appendPause<'not_paused' | DecidedRefusal>(
      this.pipeline,
      { scope, metadata },
      (pauses) => decideResume({ scope, decided }, pauses),
    );
    return done.ok ? ok(undefined) : done;
  }

  private async pausesNow({ merchantId }: PauseScope): Promise<Pauses | undefined> {
    if (merchantId === undefined) {
      const { state } = await this.pipeline.load({ decider: pausesDecider, stream: pausesStream });
      return state;
    }
    const stream = merchantStream(merchantId);
    const { state } = await this.pipeline.load({ decider: merchantDecider, stream });
    return state.kind === 'none' ? undefined : pausesOf(state);
  }
}

/** The two people see which modes are paused, and up to which pause: a later one stays in force. */
function weighResume(
  { mode }: PauseScope,
  { paused, pauses }: Pauses,
): Result<Weighed, 'not_paused'> {
  const ended = modesOf(mode).filter((each) => paused.includes(each));
  if (ended.length === 0) return refuse('not_paused');
  return ok({ needsTwo: ended.includes('live'), seen: `${ended.toSorted().join(' ')} ${pauses}` });
}

/** Decides the end of the pause, if these people may decide it on this state. */
export function decideResume(
  { scope, decided }: { readonly scope: PauseScope; readonly decided: Decided },
  pauses: Pauses,
): Result<readonly PauseEvent[], 'not_paused' | DecidedRefusal> {
  if (decided.by === 'two' && pauses.carriedOut.has(decided.proposalId)) return ok([]);
  const weighed = weighResume(scope, pauses);
  if (!weighed.ok) return weighed;
  const may = mayDecide(decided, weighed.value);
  if (!may.ok) return may;
  const { mode } = scope;
  const data = { ...(mode === undefined ? {} : { mode }), ...may.value };
  return ok([{ type: 'PayoutsResumed', data }]);
}
