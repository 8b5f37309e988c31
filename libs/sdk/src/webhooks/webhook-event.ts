import { type Transaction } from '../types.js';

/** The kinds of today; answer 2xx to others and ignore them. */
export type WebhookEventType =
  | 'collection.completed'
  | 'collection.failed'
  | 'payout.completed'
  | 'payout.failed'
  | 'payout.rejected';

/** The body of a webhook. */
export interface WebhookEvent {
  /** The same on every delivery of this event: remember it and handle it once. */
  readonly id: string;
  readonly type: WebhookEventType;
  /** RFC 3339, UTC. */
  readonly created_at: string;
  readonly mode: 'live' | 'demo';
  /** 1, 2, 3 … per merchant and mode, without gaps: deliveries may overtake each other, this tells their order. */
  readonly sequence: number;
  /** The item as the list shows it. */
  readonly data: Transaction;
}
