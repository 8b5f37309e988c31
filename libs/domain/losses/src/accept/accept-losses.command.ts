import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import {
  type Change,
  type Decided,
  type DecidedRefusal,
  type Json,
  type ProposalRow,
  ProposalSubject,
  type WeighedChange,
} from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { LossLists } from '../loss-lists.js';
import { lossesStream, type LossList } from '../losses.events.js';
import {
  decideAcceptLosses,
  type FoundList,
  lossesDecider,
  type LossesRefusal,
  weighLosses,
} from './accept-losses.decide.js';

/** Asks the records about sealed messages. */
export abstract class LossRecords {
  /**
   * Returns how many of these messages the records have.
   * @throws DependencyUnavailable
   */
  abstract countMessages(ids: readonly string[]): Promise<number>;
}

/** The losses that are accepted with a list. */
export interface AcceptedCounts {
  readonly messages: number;
  readonly claims: number;
}

/** Accepts that the losses of a list stay lost. */
export const acceptLosses: Change<LossList, AcceptedCounts, LossesRefusal> = { kind: 'losses' };

/** Always needs two admins, in demo mode too: it hides lost evidence from the checks (AUD-34). */
@Injectable()
export class AcceptLossesSubject extends ProposalSubject<LossList, AcceptedCounts, LossesRefusal> {
  override readonly change = acceptLosses;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly lists: LossLists,
    private readonly records: LossRecords,
  ) {
    super();
  }

  override write({ ...details }: LossList): Json {
    return details;
  }

  override read(written: Json): LossList {
    return written as unknown as LossList;
  }

  override async weigh(details: LossList): Promise<Result<WeighedChange, LossesRefusal>> {
    const weighed = weighLosses(details, await this.find(details));
    if (!weighed.ok) return weighed;
    // At most one list waits: the next one has everything that is missing.
    return ok({ needsTwo: true, seen: details.digest, about: lossesStream });
  }

  override describe(details: LossList): readonly ProposalRow[] {
    const { messages, claims, from, to, fromPosition, toPosition, digest } = details;
    return [
      { field: 'lost_messages', value: String(messages) },
      { field: 'lost_claims', value: String(claims) },
      { field: 'lost_from', value: `${from} (${fromPosition})` },
      { field: 'lost_to', value: `${to} (${toPosition})` },
      { field: 'digest', value: digest },
    ];
  }

  override async carryOut(
    details: LossList,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<AcceptedCounts, LossesRefusal | DecidedRefusal>> {
    const found = await this.find(details);
    const step = { decider: lossesDecider, stream: lossesStream, metadata };
    const done = await this.pipeline.run(step, (accepted) =>
      decideAcceptLosses(details, { decided, found }, accepted),
    );
    const { messages, claims } = details;
    return done.ok ? ok({ messages, claims }) : done;
  }

  /** Reads the list from the log, and asks the records for each of its messages. */
  private async find({ list }: LossList): Promise<FoundList> {
    let there = 0;
    const contents = await this.lists.read(list, async ({ data: { kind, ids } }) => {
      if (kind === 'messages') there += await this.records.countMessages(ids);
    });
    return { ...contents, there };
  }
}
