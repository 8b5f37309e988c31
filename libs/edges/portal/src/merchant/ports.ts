import { type Mode } from '#domain/kernel';
import { type Person } from '#domain/people';
import { type WebhookKind } from '#domain/merchants';
import { type Readiness } from '#views/v3-usage';
import { type WebhookEvent } from '#views/webhook-outbox';

/** The owner of pages: one merchant, in one mode. */
export interface MerchantMode {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** A webhook that is or was owed to an endpoint. */
export interface Delivery extends MerchantMode {
  readonly webhookId: string;
  readonly kind: WebhookKind;
  readonly sequence: bigint;
  readonly type: string;
  readonly owedAt: Date;
  readonly attempts: number;
  /** Null if the delivery is over. */
  readonly nextAttemptAt: Date | null;
  readonly outcome: 'delivered' | 'expired' | null;
  readonly endedAt: Date | null;
  /** The outcome of the newest attempt; null if there was none. */
  readonly lastOutcome: string | null;
  readonly lastStatus: number | null;
}

/** One request to an endpoint. */
export interface DeliveryAttempt {
  readonly kind: WebhookKind;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly outcome: string;
}

/** The health of an endpoint. */
export interface EndpointHealth extends MerchantMode {
  readonly kind: WebhookKind;
  /** Failures in a row. */
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
}

export interface DeliveriesWanted extends MerchantMode {
  readonly kind?: WebhookKind;
  readonly type?: string;
  /** Matches only deliveries of events before this one. */
  readonly before?: bigint;
  /** Matches only deliveries that were attempted and not delivered. */
  readonly failing: boolean;
  readonly limit: number;
}

/**
 * Reads what was sent to a merchant's endpoints, as the command line shows it. Each method throws
 * DependencyUnavailable.
 */
export abstract class WebhookLog {
  /** Lists deliveries, the newest first. */
  abstract list(wanted: DeliveriesWanted): Promise<readonly Delivery[]>;
  /** Finds the deliveries of one event of any merchant: the caller checks whose it is. */
  abstract find(webhookId: string): Promise<{
    readonly deliveries: readonly Delivery[];
    readonly attempts: readonly DeliveryAttempt[];
  }>;
  /** Deliveries of some events, in the order of their sequence. */
  abstract ofEvents(of: MerchantMode, webhookIds: readonly string[]): Promise<readonly Delivery[]>;
  /** Health of the merchant's endpoints in both modes. */
  abstract health(merchantId: string): Promise<readonly EndpointHealth[]>;
  /** Has the event sent now, with the same id and bytes, even if it was delivered before. It notes who asked for it. */
  abstract resend(
    event: Omit<WebhookEvent, 'body'>,
    kind: WebhookKind,
    person: Person,
  ): Promise<void>;
}

/** A refused call, without its path, query and body, which may not be stored. */
export interface RefusedRequest {
  readonly credentialId: string;
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly at: Date;
}

/** A refused call as it is stored. */
export interface ListedRefusal extends RefusedRequest {
  /** A number in the order in which the rows were written. */
  readonly id: bigint;
}

/** Calls noted over a few seconds. */
export interface NotedCalls {
  /** The latest use of each credential. */
  readonly uses: readonly { readonly credentialId: string; readonly at: Date }[];
  readonly refused: readonly RefusedRequest[];
}

/** Stores calls of credentials; refusals for 7 days. Each method throws DependencyUnavailable. */
export abstract class CallRecords {
  abstract add(calls: NotedCalls): Promise<void>;
  /** Last uses by credential. A credential is absent if no use was noted. */
  abstract lastUses(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /**
   * Refused calls, the newest first.
   * @param page `before`: only those before this one
   */
  abstract refusals(
    credentialIds: readonly string[],
    page: { readonly before?: bigint; readonly limit: number },
  ): Promise<readonly ListedRefusal[]>;
}

/** Reads how far a merchant has moved from V3 to V4. */
export abstract class V3Readiness {
  /**
   * Reads the readiness of this merchant only. The result has no merchants if this one has no V3 credential and never
   * called V3.
   * @throws DependencyUnavailable
   */
  abstract of(merchantId: string): Promise<Readiness>;
}

/** A saved view: a list's filters under a name. */
export interface SavedView {
  readonly name: string;
  /** The list's query, without its question mark. */
  readonly query: string;
}

/** Stores saved views, for each person their own. Each method throws DependencyUnavailable. */
export abstract class SavedViews {
  /** Lists views by name. */
  abstract list(person: Person, of: MerchantMode): Promise<readonly SavedView[]>;
  /**
   * Stores a view, and replaces one of the same name.
   * @returns false if the person already has the most views, and nothing was stored
   */
  abstract keep(person: Person, of: MerchantMode, view: SavedView): Promise<boolean>;
  abstract drop(person: Person, of: MerchantMode, name: string): Promise<void>;
}

/** A day, YYYY-MM-DD, of one of a merchant's accounts. */
export interface AccountDay extends MerchantMode {
  readonly accountNo: string;
  readonly day: string;
}

/** A note of a person who has dealt with an open line. */
export interface Handled {
  /** The person's id, as events name people. */
  readonly person: string;
  readonly note: string;
  readonly at: Date;
}

/** Reads the notes about open lines of days (REC-35). */
export abstract class HandledExceptions {
  /**
   * Notes by the line's key, the oldest first.
   * @throws DependencyUnavailable
   */
  abstract of(day: AccountDay): Promise<ReadonlyMap<string, readonly Handled[]>>;
}
