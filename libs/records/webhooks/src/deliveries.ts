import { type WebhookEndpointKey } from '#domain/merchants';

/**
 * The destination of deliveries: an endpoint's URL, or one host of the callback URLs that collections named (WEB-8).
 * Each is limited separately, so that one that fails does not delay the others (WEB-13).
 */
export interface DeliveryTarget extends WebhookEndpointKey {
  /** Empty for the endpoint's URL. */
  readonly callbackHost: string;
}

/** Returns one text for a target. */
export function targetName({ merchantId, mode, kind, callbackHost }: DeliveryTarget): string {
  return `${merchantId} ${mode} ${kind} ${callbackHost}`;
}

/** A target that has due deliveries and may be sent to. */
export interface ReadyTarget extends DeliveryTarget {
  /** The number of failures in a row; 0 if it accepted the last one. */
  readonly failures: number;
  /** True if its circuit is open: one attempt may test if it answers again. */
  readonly isProbe: boolean;
}

/** A part of the targets with waiting deliveries, in the order of their keys. */
export interface ReadyTargets {
  readonly targets: readonly ReadyTarget[];
  /** The start of the next part; absent if this was the last one. */
  readonly next?: DeliveryTarget;
}

/** The number of deliveries wanted for a target. */
export interface TargetShare extends ReadyTarget {
  readonly max: number;
  /** How many of them are retries, if at least as many first attempts wait as well. */
  readonly retries: number;
}

/** A delivery that only this worker may attempt until its lease ends. */
export interface LeasedDelivery extends DeliveryTarget {
  readonly webhookId: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** By the database's clock, like the age. */
  readonly leasedAt: Date;
  /** Time since the event. */
  readonly ageMs: number;
  readonly url: string;
  /**
   * The target of the URL. It may differ from the target that the delivery waited for, if the merchant's list of hosts
   * has changed or an older release did not separate the targets. This attempt counts for it, and the next one waits
   * for it.
   */
  readonly goesTo: DeliveryTarget;
  readonly standardHeaders: boolean;
  /** The trace of the event, if it is recorded. */
  readonly traceparent?: string;
  /** Absent if these views do not have the event yet. */
  readonly event?: { readonly body: string };
}

/** The outcome of one request to an endpoint (WEB-10). */
export type ExchangeOutcome =
  | 'delivered'
  | 'refused'
  | 'status'
  | 'redirect'
  | 'gone'
  | 'timeout'
  | 'connection'
  | 'tls'
  | 'address_not_allowed';

/** The outcome of an attempt (WEB-10). */
export type AttemptOutcome = ExchangeOutcome | 'no_secret' | 'defect';

export interface MadeAttempt {
  readonly delivery: LeasedDelivery;
  readonly outcome: AttemptOutcome;
  readonly status?: number;
  readonly durationMs: number;
  /** Time until the next attempt; absent if there is none. */
  readonly againInMs?: number;
}
