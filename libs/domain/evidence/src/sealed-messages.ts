/**
 * The sender and the occasion of a message.
 * - `request`: a merchant's signed request, or a form of the checkout.
 * - `push_answer`, `order_answer`: the rail's immediate answer to a push or to a payout order.
 * - `callback`: the rail's report about a collection.
 * - `result`, `queue_timeout`: the rail's reports about a payout.
 * - `query_answer`: the rail's answer to our status query.
 */
export type MessageKind =
  | 'request'
  | 'push_answer'
  | 'order_answer'
  | 'callback'
  | 'result'
  | 'queue_timeout'
  | 'query_answer';

/** A payout of a batch's request, whose number is in the request's bytes. */
export interface MessageItem {
  readonly id: string;
  /** The payout's own stream. */
  readonly stream: string;
  readonly phoneHmac: string;
}

/** A message as the records store it. */
export interface SealedMessage {
  /** A version 7 UUID, so older messages sort first. */
  readonly id: string;
  readonly kind: MessageKind;
  /** The stream of the collection, payout or batch. */
  readonly stream: string;
  /** The digest of the customer's number in a request. A message of the rail belongs to the customer of its stream. */
  readonly phoneHmac?: string;
  /** The data key. The message opens with this key and its own. */
  readonly keyId: string;
  readonly ownKey: Uint8Array;
  readonly ciphertext: Uint8Array;
  /** The items of a batch's request. */
  readonly items?: readonly MessageItem[];
}

/** Stores the bytes of messages, sealed. */
export abstract class SealedMessages {
  /**
   * Durable when it resolves. A message whose id exists already changes nothing. For an erased stream, the bytes are
   * stored without their key.
   * @returns the own key under which to seal its evidence: that of the row if it existed
   * @throws DependencyUnavailable
   */
  abstract keep(message: SealedMessage): Promise<Uint8Array>;

  /** Like `keep`, together with the messages of a few hundredths of a second, if no caller waits for it. */
  abstract keepSoon(message: SealedMessage): Promise<void>;

  /**
   * Removes a message that led to nothing.
   * @throws DependencyUnavailable
   */
  abstract drop(id: string): Promise<void>;
}
