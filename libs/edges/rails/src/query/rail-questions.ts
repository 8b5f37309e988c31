import { type AskableRail } from '#views/rail-queries';
import { Injectable } from '@nestjs/common';
import { type QueryOutcome, Rail, type RailPayment } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { sealEvidence, sha256Hex } from '#shared/signing';
import { CallbackKeys } from '../callback/callback-keys.js';
import { RailMessages } from '../callback/rail-messages.js';
import { sealRailMessage } from '../callback/seal-rail-message.js';
import { QueryThrottle } from './query-throttle.js';
import { type SettlingAnswer, verdictOf } from './settling-answer.js';

/** An answer that is about to be told to a collection. */
export interface AnswerInHand {
  readonly stream: string;
  readonly channel: string;
  readonly railReference: string;
  readonly answer: SettlingAnswer;
  /** What the question belongs to; the kept answer's own id unless given. */
  readonly correlationId?: string;
}

/** Questions to the rail, whose answers become durable before anything is posted on them. */
@Injectable()
export class RailQuestions {
  constructor(
    private readonly rail: Rail,
    private readonly throttle: QueryThrottle,
    private readonly reports: RailMessages,
    private readonly keys: CallbackKeys,
  ) {}

  ask(payment: RailPayment): Promise<QueryOutcome> {
    return this.throttle.ask(payment, () => this.rail.query(payment));
  }

  /** False while the rail does not take the questions of this mode. */
  mayAsk(rail: AskableRail): boolean {
    return this.throttle.mayAsk(rail);
  }

  /** The rails' modes that take questions. */
  askable(): readonly AskableRail[] {
    return this.throttle.askable();
  }

  /**
   * Keeps the answer's bytes, encrypted.
   * @returns metadata of the command that they lead to: their row is the cause, their digest the evidence
   * @throws DependencyUnavailable
   */
  async keep({
    stream,
    channel,
    railReference,
    answer,
    correlationId,
  }: AnswerInHand): Promise<CommandMetadata> {
    const { ids, keyring } = this.keys;
    const id = ids.next();
    const bytes = answer.raw && Buffer.from(answer.raw);
    if (bytes) await this.reports.keep({ ...sealRailMessage(keyring, id, bytes), stream });
    const told = bytes ? { digest: sha256Hex(bytes) } : { answer: verdictOf(answer) };
    return {
      correlationId: correlationId ?? id,
      ...(bytes ? { causationId: id } : {}),
      actor: { kind: 'rail', id: channel },
      ...sealEvidence(keyring, { asked: railReference, ...told }),
    };
  }
}
