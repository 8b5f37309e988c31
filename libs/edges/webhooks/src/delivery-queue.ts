import { type KeyObject } from 'node:crypto';
import { type WebhookEndpointKey } from '#domain/merchants';
import { type ExchangeOutcome } from './sending/exchange.js';

/**
 * Where an endpoint's deliveries go: its URL, or a host of the URLs that collections brought along (WEB-8). Each is
 * bounded apart from the others, so that one that fails delays none of them (WEB-13).
 */
export interface DeliveryTarget extends WebhookEndpointKey {
  /** Empty: the endpoint's URL. */
  readonly callbackHost: string;
}

/** One text for a target. */
export function targetName({ merchantId, mode, kind, callbackHost }: DeliveryTarget): string {
  return `${merchantId} ${mode} ${kind} ${callbackHost}`;
}

/** A target for which something is due, and that may be sent to. */
export interface ReadyTarget extends DeliveryTarget {
  /** In a row; 0 where it answered the last one. */
  readonly failures: number;
  /** Its circuit is open: one attempt may try whether it answers again. */
  readonly isProbe: boolean;
}

/** A part of the targets for which something waits, in the order of their keys. */
export interface ReadyTargets {
  readonly targets: readonly ReadyTarget[];
  /** Where the next part begins; absent where this was the last one. */
  readonly next?: DeliveryTarget;
}

/** How many deliveries to a target are wanted. */
export interface TargetShare extends ReadyTarget {
  readonly max: number;
  /** So many of them are retries where as many first attempts wait as well. */
  readonly retries: number;
}

/** A delivery that this worker alone may attempt until its lease ends. */
export interface LeasedDelivery extends DeliveryTarget {
  readonly webhookId: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** By the database's clock, as is the age. */
  readonly leasedAt: Date;
  /** Since the event. */
  readonly ageMs: number;
  readonly url: string;
  /**
   * Of the URL. Another target than the delivery waited for, where the merchant's list of hosts has changed, or an older
   * release did not tell them apart: this attempt counts for it, and the next one waits for it.
   */
  readonly goesTo: DeliveryTarget;
  readonly standardHeaders: boolean;
  /** Absent where these views do not hold the event yet. */
  readonly event?: { readonly body: string };
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
   * Targets that may be sent to, of the first `max` behind `after` for which something waits. One has its place however
   * many deliveries wait for the others.
   * @throws DependencyUnavailable
   */
  abstract ready(after: DeliveryTarget | undefined, max: number): Promise<ReadyTargets>;

  /**
   * Due deliveries of each, which no other worker gets before the lease has ended: what a person asked for, then the
   * oldest first attempts and the oldest retries by their shares. Of a target that is tried, of two workers one alone
   * gets its one.
   * @throws DependencyUnavailable
   */
  abstract lease(
    shares: readonly TargetShare[],
    leaseMs: number,
  ): Promise<readonly LeasedDelivery[]>;

  /**
   * Writes down an attempt, when the next one is due, and how its target does. Those of the same moment go together.
   * @returns whether the target's circuit opened by it
   * @throws DependencyUnavailable: the lease ends then, and the attempt is made again
   */
  abstract record(attempt: MadeAttempt): Promise<{ readonly isNowOpen: boolean }>;

  /** Nothing was sent; it is due again after a while, and the attempt does not count. @throws DependencyUnavailable */
  abstract putOff(delivery: LeasedDelivery, delayMs: number): Promise<void>;
}

/** The consumer key of a V3 credential. */
export interface ConsumerKey {
  readonly credentialId: string;
  /** Its UTF-8 bytes. */
  readonly key: KeyObject;
}

/** With what webhooks to an endpoint are signed. */
export abstract class EndpointSecrets {
  /**
   * Of a V4 endpoint. The newest first; two while a rotation lasts; none where there is nothing to sign with.
   * @throws DependencyUnavailable, UnopenableCiphertext
   */
  abstract of(endpoint: WebhookEndpointKey): Promise<readonly KeyObject[]>;

  /** Of the merchant's V3 credentials that are not revoked, the newest last. @throws DependencyUnavailable */
  abstract consumerKeys(merchantId: string): Promise<readonly ConsumerKey[]>;
}
