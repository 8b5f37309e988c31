/**
 * Whose bytes they are, and on what occasion. `request`: of a merchant, signed, or a form of the checkout. `push_answer`
 * and `order_answer`: what the rail answered at once to a push or to an order of a payout. `callback`: what it reported of
 * a collection. `result` and `queue_timeout`: of a payout. `query_answer`: what it answered to a status query of ours.
 */
export type MessageKind =
  | 'request'
  | 'push_answer'
  | 'order_answer'
  | 'callback'
  | 'result'
  | 'queue_timeout'
  | 'query_answer';

/** A payout that is asked for in a batch's request, and whose number stands in its bytes. */
export interface MessageItem {
  readonly id: string;
  /** The payout's own. */
  readonly stream: string;
  readonly phoneHmac: string;
}

/** One message as the records keep it. */
export interface SealedMessage {
  /** A version 7 UUID: what is older comes first. */
  readonly id: string;
  readonly kind: MessageKind;
  /** Of the collection, payout or batch that it is about. */
  readonly stream: string;
  /** Of the customer whose number stands in a request; what a rail says belongs to the customer of its stream. */
  readonly phoneHmac?: string;
  /** The data key; the message opens with it and with its own. */
  readonly keyId: string;
  readonly ownKey: Uint8Array;
  readonly ciphertext: Uint8Array;
  /** Of a batch's request. */
  readonly items?: readonly MessageItem[];
}

/** Where the bytes of messages are kept, sealed. */
export abstract class SealedMessages {
  /**
   * Durable when it resolves; one whose id is there already changes nothing. Of an erased stream the bytes are kept
   * without their key.
   * @returns the own key to seal the evidence of it under: that of the row, where one was there
   * @throws DependencyUnavailable
   */
  abstract keep(message: SealedMessage): Promise<Uint8Array>;

  /** As `keep`, with those of some hundredths of a second together: for what nobody waits for. */
  abstract keepSoon(message: SealedMessage): Promise<void>;

  /** Removes one that led to nothing. @throws DependencyUnavailable */
  abstract drop(id: string): Promise<void>;
}
