import { type Proof } from '#domain/event-sourcing';
import { type MessageKind, type SealedMessage, type SealedMessages } from '#domain/evidence';
import { DependencyUnavailable, type Ids, type Timer, within } from '#domain/kernel';
import { type Metrics } from '#infra/runtime';
import { type Keyring, sealEvidence, sha256Hex } from '#shared/signing';
import { Logger } from '@nestjs/common';
import { railEvidence } from './callback/rail-messages.js';

interface RailAnswersOptions {
  readonly keyring: Keyring;
  readonly ids: Ids;
  readonly timer: Timer;
  readonly metrics: Metrics;
}

/** A rail's answer in its own bytes. */
interface Answered {
  readonly kind: Extract<MessageKind, 'push_answer' | 'order_answer'>;
  readonly stream: string;
  readonly bytes: Uint8Array;
}

/** The longest that a payout's answer waits for the records. After that its event names no bytes. */
const deadlineMs = 3000;
/** While Postgres is away, no more answers than this are remembered. */
const maxWaiting = 4096;
const tries = 6;
const firstPauseMs = 500;

/** Stores the rails' immediate answers, beside whatever else is written about them. */
export class RailAnswers {
  private readonly log = new Logger('rail answers');
  private readonly waiting = new Set<Promise<void>>();
  private readonly lost;

  constructor(
    private readonly messages: SealedMessages,
    private readonly options: RailAnswersOptions,
  ) {
    this.lost = options.metrics.counter({
      name: 'rail_answers_lost_total',
      help: 'Answers of the rail to pushes and orders whose bytes could not be kept, by kind',
      labels: ['kind'],
    });
  }

  /**
   * Stores a push's answer in the background, because the push's caller waits only for the event. The bytes may be
   * stored a moment after the event that names them. If the process dies in between, or Postgres stays away, they are
   * missing.
   */
  soon(answered: Answered): Proof {
    const { message, proof } = this.sealed(answered);
    if (this.waiting.size >= maxWaiting) {
      this.lost.inc({ kind: message.kind });
      return proof;
    }
    const writing = this.write(message).finally(() => this.waiting.delete(writing));
    this.waiting.add(writing);
    return proof;
  }

  /**
   * Stores the answer before it resolves. Returns undefined if the records did not answer; no event may then name the
   * bytes.
   */
  async kept(answered: Answered): Promise<Proof | undefined> {
    const { message, proof } = this.sealed(answered);
    try {
      const keeping = this.messages.keep(message).then(() => proof);
      const kept = await within(this.options.timer, keeping, deadlineMs);
      if (kept) return kept;
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
    }
    this.lost.inc({ kind: message.kind });
    return undefined;
  }

  /** Resolves when no answer waits to be written any more. The process limits how long it waits for this. */
  async settled(): Promise<void> {
    await Promise.all(this.waiting);
  }

  private sealed({ kind, stream, bytes }: Answered): { message: SealedMessage; proof: Proof } {
    const { keyring, ids } = this.options;
    const message = railEvidence(keyring, { id: ids.next(), kind, stream, bytes });
    const own = { messageId: message.id, ownKey: message.ownKey };
    return { message, proof: sealEvidence(keyring, { digest: sha256Hex(bytes) }, own) };
  }

  /** Never rejects. */
  private async write(message: SealedMessage): Promise<void> {
    for (let pauseMs = firstPauseMs, left = tries; ; pauseMs *= 2) {
      try {
        await this.messages.keepSoon(message);
        return;
      } catch (error) {
        left -= 1;
        if (error instanceof DependencyUnavailable && left > 0) {
          await this.options.timer.sleep(pauseMs);
          continue;
        }
        this.lost.inc({ kind: message.kind });
        this.log.error({
          msg: 'an answer of the rail was not kept',
          stream: message.stream,
          err: error,
        });
        return;
      }
    }
  }
}
