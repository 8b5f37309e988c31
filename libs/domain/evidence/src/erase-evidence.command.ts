import { type CommandMetadata, EventStore, Pipeline } from '#domain/event-sourcing';
import { concurrently, ok, refuse, type Result } from '#domain/kernel';
import {
  type Change,
  type Decided,
  type DecidedRefusal,
  type Json,
  mayDecide,
  type ProposalRow,
  ProposalSubject,
  type WeighedChange,
} from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { type EvidenceErased, evidenceEventTypes, evidenceStream } from './evidence.events.js';

/** The evidence of one person that would be erased. */
export interface PersonsEvidence {
  readonly phoneHmac: string;
  /** The collections and payouts of the number. */
  readonly streams: readonly string[];
  /**
   * The number of messages whose keys still exist. It includes requests of batches, which are erased for all of their
   * people.
   */
  readonly messages: number;
  /** The digest of those rows (EVT-43). */
  readonly digest: string;
}

/** Deletes the keys of messages. */
export abstract class EvidenceErasure {
  /**
   * Finds the messages of these streams, and the requests with the number that led to nothing.
   * @throws DependencyUnavailable
   */
  abstract find(phoneHmac: string, streams: readonly string[]): Promise<PersonsEvidence>;
  /**
   * Deletes the keys for good, and marks the streams so that later messages are stored without one. Safe to repeat.
   * @returns the number of deleted keys
   * @throws DependencyUnavailable
   */
  abstract erase(of: PersonsEvidence): Promise<number>;
}

/** Deletes the keys of one person's messages. It cannot be undone. */
export const eraseEvidence: Change<PersonsEvidence, { readonly erased: number }, 'nothing_there'> =
  { kind: 'evidence' };

const streamsAtOnce = 16;
const maxNamed = 20;

/**
 * Needs two admins in both modes (PEO-30). The event is appended first, so the log names the admins whatever happens
 * next. If the process dies in between, the same admin confirms again.
 */
@Injectable()
export class EraseEvidenceSubject extends ProposalSubject<
  PersonsEvidence,
  { readonly erased: number },
  'nothing_there'
> {
  override readonly change = eraseEvidence;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly erasure: EvidenceErasure,
    private readonly store: EventStore,
  ) {
    super();
  }

  override write({ phoneHmac, streams, messages, digest }: PersonsEvidence): Json {
    return { phoneHmac, streams, messages, digest };
  }

  override read(written: Json): PersonsEvidence {
    return written as unknown as PersonsEvidence;
  }

  override async weigh(of: PersonsEvidence): Promise<Result<WeighedChange, 'nothing_there'>> {
    if (of.messages === 0) return refuse('nothing_there');
    return ok({ needsTwo: true, seen: await this.seen(of), about: of.phoneHmac });
  }

  override describe({ streams, messages }: PersonsEvidence): readonly ProposalRow[] {
    const named = streams.slice(0, maxNamed).join(', ');
    return [
      { field: 'messages', value: String(messages) },
      { field: 'streams', value: streams.length > maxNamed ? `${named}, …` : named },
      { field: 'stream_count', value: String(streams.length) },
    ];
  }

  override async carryOut(
    of: PersonsEvidence,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<{ readonly erased: number }, 'nothing_there' | DecidedRefusal>> {
    const may = mayDecide(decided, { needsTwo: true, seen: await this.seen(of) });
    if (!may.ok) return may;
    const { phoneHmac, streams, messages, digest } = of;
    const data = { phoneHmac, streams: streams.length, messages, digest, ...may.value };
    const event: EvidenceErased = { type: 'EvidenceErased', data };
    await this.pipeline.note(
      { types: evidenceEventTypes, stream: evidenceStream, metadata },
      event,
    );
    return ok({ erased: await this.erasure.erase(of) });
  }

  /** The digest of the messages, and each item's revision: an item that changed since may need its evidence. */
  private async seen({ phoneHmac, streams }: PersonsEvidence): Promise<string> {
    const { digest } = await this.erasure.find(phoneHmac, streams);
    const revisions: string[] = [];
    const numbered = [...streams.entries()];
    await concurrently(numbered, streamsAtOnce, async ([index, stream]) => {
      const last = await this.store.readLast(stream);
      revisions[index] = last?.revision.toString() ?? '-';
    });
    return [digest, ...revisions].join(' ');
  }
}
