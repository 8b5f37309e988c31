import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import {
  type Correction,
  correctionDecider,
  demandOf,
  type RecordedCorrection,
} from '../correction.js';
import {
  type CorrectionKey,
  type CorrectionProposed,
  correctionStream,
  type CorrectionTerms,
} from '../correction.events.js';
import { decideProposeCorrection, type ProposeRefusal } from './propose-correction.decide.js';
import { Reservations } from '#domain/ledger';
import { TermsCheck } from './terms-check.js';

/**
 * An operator proposes legs that correct the ledger. No money moves until another operator confirms. The same id with
 * the same terms is the same proposal, however often it is sent.
 */
export class ProposeCorrection extends Command<Result<RecordedCorrection, ProposeRefusal>> {
  constructor(
    readonly key: CorrectionKey,
    readonly terms: CorrectionTerms,
    /** Its actor is the operator. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(ProposeCorrection)
export class ProposeCorrectionHandler implements ICommandHandler<ProposeCorrection> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly checks: TermsCheck,
    private readonly reservations: Reservations,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    terms,
    metadata,
  }: ProposeCorrection): Promise<Result<RecordedCorrection, ProposeRefusal>> {
    const step = { decider: correctionDecider, stream: correctionStream(key), metadata };
    const before = await this.pipeline.load(step);
    const said = { ...terms, proposedBy: metadata.actor.id };
    if (before.state.status === 'none') {
      const checked = await this.checks.check(step.stream, terms);
      if (!checked.ok) return checked;
    }
    const proposed = { ...said, ...(await this.notedRevision(said)) };
    const done = await this.pipeline.run(
      step,
      (state) => decideProposeCorrection(proposed, state),
      before,
    );
    return done.ok ? ok(recorded(done.value.state)) : done;
  }

  /** Reads the revision before the correction's first event, so that its reservation comes after that revision. */
  private async notedRevision(
    said: CorrectionProposed['data'],
  ): Promise<Pick<CorrectionProposed['data'], 'reservationsRevision'>> {
    const demand = demandOf(said);
    const revision = demand && (await this.reservations.revisionOf(demand.wallet));
    return revision === undefined ? {} : { reservationsRevision: revision.toString() };
  }
}

function recorded(state: Correction): RecordedCorrection {
  if (state.status === 'none') throw new TypeError('a proposed correction is recorded');
  return state;
}
