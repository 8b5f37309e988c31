import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type EvidenceErased, evidenceEventTypes, evidenceStream } from './evidence.events.js';

/** What would be erased of one person. */
export interface PersonsEvidence {
  readonly phoneHmac: string;
  /** The collections and payouts of the number. */
  readonly streams: readonly string[];
  /** Messages whose key is still there, requests of batches included, which go for all of their people. */
  readonly messages: number;
  /** Of those rows (EVT-43). */
  readonly digest: string;
}

/** Where messages lose their keys. */
export abstract class EvidenceErasure {
  /** Of these streams, and of requests with the number that led to nothing. @throws DependencyUnavailable */
  abstract find(phoneHmac: string, streams: readonly string[]): Promise<PersonsEvidence>;
  /**
   * Drops the keys, for good, and has it that what is said later of the streams is kept without one. Safe to repeat.
   * @returns how many
   * @throws DependencyUnavailable
   */
  abstract erase(of: PersonsEvidence): Promise<number>;
}

/** Drops the keys of one person's messages. It cannot be taken back. */
export class EraseEvidence extends Command<Result<{ readonly erased: number }, 'nothing_there'>> {
  constructor(
    readonly of: PersonsEvidence,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * The event first: who erases is known whatever happens then. Where the process dies in between, the command is given
 * once more.
 */
@CommandHandler(EraseEvidence)
export class EraseEvidenceHandler implements ICommandHandler<EraseEvidence> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly erasure: EvidenceErasure,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    of,
    metadata,
  }: EraseEvidence): Promise<Result<{ readonly erased: number }, 'nothing_there'>> {
    if (of.messages === 0) return refuse('nothing_there');
    const { phoneHmac, streams, messages, digest } = of;
    const data: EvidenceErased['data'] = { phoneHmac, streams: streams.length, messages, digest };
    const event: EvidenceErased = { type: 'EvidenceErased', data };
    await this.pipeline.note(
      { types: evidenceEventTypes, stream: evidenceStream, metadata },
      event,
    );
    return ok({ erased: await this.erasure.erase(of) });
  }
}
