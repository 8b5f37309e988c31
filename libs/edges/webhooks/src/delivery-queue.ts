import { type KeyObject } from 'node:crypto';
import { type WebhookEndpointKey } from '#domain/merchants';
import { type ExchangeOutcome } from './sending/exchange.js';

/** An endpoint of which something is due, and that may be sent to. */
export interface ReadyEndpoint extends WebhookEndpointKey {
  /** In a row; 0 where it took the last one. */
  readonly failures: number;
  /** Its circuit is open: one attempt may try whether it answers again. */
  readonly isProbe: boolean;
}

/** A part of the endpoints of which something waits, in the order of their keys. */
export interface ReadyEndpoints {
  readonly endpoints: readonly ReadyEndpoint[];
  /** Where the next part begins; absent where this was the last one. */
  readonly next?: WebhookEndpointKey;
}

/** How many deliveries of an endpoint are wanted. */
export interface EndpointShare extends ReadyEndpoint {
  readonly max: number;
}

/** A delivery that this worker alone may attempt until its lease ends. */
export interface LeasedDelivery extends WebhookEndpointKey {
  readonly webhookId: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** By the database's clock, as is the age. */
  readonly leasedAt: Date;
  /** Since the event. */
  readonly ageMs: number;
  readonly url: string;
  readonly standardHeaders: boolean;
  /** Absent where these views do not hold the event yet. */
  readonly event?: { readonly body: string; readonly callbackUrl: string | undefined };
}

/** How an attempt ended (WEB-10). */
export type AttemptOutcome = ExchangeOutcome | 'no_secret' | 'defect';

export interface MadeAttempt {
  readonly delivery: LeasedDelivery;
  readonly outcome: AttemptOutcome;
  readonly status?: number;
  readonly durationMs: number;
  /** Until the next attempt; absent where there is none. */
  readonly againInMs?: number;
}

/** Which deliveries are due. Several workers share it; what is due follows from the database's clock. */
export abstract class DeliveryQueue {
  /**
   * Endpoints that may be sent to, of the first `max` behind `after` of which something waits. One has its place however
   * many deliveries wait for the others.
   * @throws DependencyUnavailable
   */
  abstract ready(after: WebhookEndpointKey | undefined, max: number): Promise<ReadyEndpoints>;

  /**
   * The oldest due deliveries of each, which no other worker gets before the lease has ended; of an endpoint that is
   * tried, of two workers one alone gets its one.
   * @throws DependencyUnavailable
   */
  abstract lease(
    shares: readonly EndpointShare[],
    leaseMs: number,
  ): Promise<readonly LeasedDelivery[]>;

  /**
   * Writes down an attempt, when the next one is due, and how the endpoint does. Those of the same moment go together.
   * @returns whether the endpoint's circuit opened by it
   * @throws DependencyUnavailable: the lease ends then, and the attempt is made again
   */
  abstract record(attempt: MadeAttempt): Promise<{ readonly isNowOpen: boolean }>;

  /** Nothing was sent; it is due again after a while, and the attempt does not count. @throws DependencyUnavailable */
  abstract putOff(delivery: LeasedDelivery, delayMs: number): Promise<void>;
}

/** With what webhooks to an endpoint are signed. */
export abstract class EndpointSecrets {
  /**
   * The newest first; two while a rotation lasts; none where there is nothing to sign with.
   * @throws DependencyUnavailable, UnopenableCiphertext
   */
  abstract of(endpoint: WebhookEndpointKey): Promise<readonly KeyObject[]>;
}
