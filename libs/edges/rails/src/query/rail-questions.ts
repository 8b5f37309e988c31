import { type QueryOutcome, Rail, type RailPayment, type Verdict } from '#domain/rails';
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

/** Returns the answer without its bytes, which are evidence and not event data. */
export function verdictOf(answer: SettlingAnswer): Verdict {
  if (answer.kind === 'declined') return { kind: 'declined', failureCode: answer.failureCode };
  const { resultCode, receipt } = answer;
  return { kind: 'paid', resultCode, ...(receipt === undefined ? {} : { receipt }) };
}

const prefix = 'declined:';

/** Returns the answer's code for the table of attempts. The next answer is compared with it. */
export function outcomeOf(answer: SettlingAnswer): string {
  return answer.kind === 'declined' ? prefix + answer.failureCode : answer.kind;
}

/** True if the answer repeats the previous query's decline for the same reason. Only a repeated decline counts. */
export function isRepeated(answer: SettlingAnswer, previous: string | undefined): boolean {
  return answer.kind === 'declined' && outcomeOf(answer) === previous;
}

/** True if the previous query declined and this one does not. */
export function isTakenBack(outcome: string, previous: string | undefined): boolean {
  return previous?.startsWith(prefix) === true && outcome !== previous;
}

/** An answer that is about to be reported to a collection. */
interface ReportableAnswer {
  readonly stream: string;
  readonly channel: string;
  readonly railReference: string;
  readonly answer: SettlingAnswer;
  /** The id of the request that led to the query; the stored answer's id if omitted. */
  readonly correlationId?: string;
}

/** Makes status queries. Their answers become durable before anything is posted on them. */
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

  /** Returns false while the rail takes no queries of this mode. */
  mayAsk(rail: AskableRail): boolean {
    return this.throttle.mayAsk(rail);
  }

  /** As `mayAsk`, for a query outside the schedule: after a pause, the schedule's go first. */
  mayAskExtra(rail: AskableRail): boolean {
    return this.throttle.mayAskExtra(rail);
  }

  /** Returns the rails and modes that take queries, only those of one mode if it is given. */
  askable(mode?: Mode): readonly AskableRail[] {
    return this.throttle.askable().filter((rail) => mode === undefined || rail.mode === mode);
  }

  /**
   * Stores the answer's bytes, encrypted.
   * @returns metadata for the command that follows: its cause is the stored row and its evidence is the digest
   * @throws DependencyUnavailable
   */
  async keep({
    stream,
    channel,
    railReference,
    answer,
    correlationId,
  }: ReportableAnswer): Promise<CommandMetadata> {
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
