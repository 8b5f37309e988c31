import { type QueryOutcome, type Verdict, Rail, type RailPayment } from '#domain/collections';
import { type AskableRail } from '#views/rail-queries';
import { Injectable } from '@nestjs/common';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { SealedMessages } from '#domain/evidence';
import { type OwnKey, sealEvidence, sha256Hex } from '#shared/signing';
import { CallbackKeys } from '../callback/callback-keys.js';
import { railEvidence } from '../callback/rail-messages.js';
import { QueryThrottle } from './query-throttle.js';

/** An answer to a status query that settles something. */
export type SettlingAnswer = Extract<QueryOutcome, { kind: 'paid' | 'declined' }>;

/** What the answer says, without its bytes: they are evidence and belong into no event's data. */
export function verdictOf(answer: SettlingAnswer): Verdict {
  return answer.kind === 'paid'
    ? { kind: 'paid', resultCode: answer.resultCode }
    : { kind: 'declined', failureCode: answer.failureCode };
}

const prefix = 'declined:';

/** How an answer stands in the table of attempts, so that the next one can be held against it. */
export function outcomeOf(answer: SettlingAnswer): string {
  return answer.kind === 'declined' ? prefix + answer.failureCode : answer.kind;
}

/** Whether the answer is a decline that the query before gave as well, for the same reason: only such a one counts. */
export function isRepeated(answer: SettlingAnswer, previous: string | undefined): boolean {
  return answer.kind === 'declined' && outcomeOf(answer) === previous;
}

/** Whether the query before declined, and this one does not say so again. */
export function isTakenBack(outcome: string, previous: string | undefined): boolean {
  return previous?.startsWith(prefix) === true && outcome !== previous;
}

/** An answer that is about to be told to a collection. */
interface AnswerInHand {
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
    private readonly messages: SealedMessages,
    private readonly keys: CallbackKeys,
  ) {}

  ask(payment: RailPayment): Promise<QueryOutcome> {
    return this.throttle.ask(payment, () => this.rail.query(payment));
  }

  /** False while the rail does not take the questions of this mode. */
  mayAsk(rail: AskableRail): boolean {
    return this.throttle.mayAsk(rail);
  }

  /** As `mayAsk`, for a question beside the schedule: after a pause the schedule's go first. */
  mayAskExtra(rail: AskableRail): boolean {
    return this.throttle.mayAskExtra(rail);
  }

  /** The rails' modes that take questions; those of one mode where it is given. */
  askable(mode?: Mode): readonly AskableRail[] {
    return this.throttle.askable().filter((rail) => mode === undefined || rail.mode === mode);
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
    const own = bytes && (await this.kept(id, stream, bytes));
    const told = bytes ? { digest: sha256Hex(bytes) } : { answer: verdictOf(answer) };
    return {
      correlationId: correlationId ?? id,
      ...(bytes ? { causationId: id } : {}),
      actor: { kind: 'rail', id: channel },
      ...sealEvidence(keyring, { asked: railReference, ...told }, own),
    };
  }

  private async kept(messageId: string, stream: string, bytes: Buffer): Promise<OwnKey> {
    const said = { id: messageId, kind: 'query_answer', stream, bytes } as const;
    const ownKey = await this.messages.keep(railEvidence(this.keys.keyring, said));
    return { messageId, ownKey };
  }
}
