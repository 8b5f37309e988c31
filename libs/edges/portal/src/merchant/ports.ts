import { type Mode } from '#domain/kernel';
import { type Person } from '#domain/people';
import { type WebhookKind } from '#domain/merchants';
import { type Readiness } from '#views/v3-usage';
import { type WebhookEvent } from '#views/webhook-outbox';

/** Whose pages they are: one merchant's, in one mode. */
export interface Whose {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** A webhook that is or was owed to an endpoint. */
export interface Delivery extends Whose {
  readonly webhookId: string;
  readonly kind: WebhookKind;
  readonly sequence: bigint;
  readonly type: string;
  readonly owedAt: Date;
  readonly attempts: number;
  /** Null: it is over. */
  readonly nextAttemptAt: Date | null;
  readonly outcome: 'delivered' | 'expired' | null;
  readonly endedAt: Date | null;
  /** How the newest attempt ended; null where there was none. */
  readonly lastOutcome: string | null;
  readonly lastStatus: number | null;
}

/** One request to an endpoint. */
export interface DeliveryAttempt {
  readonly kind: WebhookKind;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly outcome: string;
}

/** How an endpoint answers. */
export interface EndpointHealth extends Whose {
  readonly kind: WebhookKind;
  /** In a row. */
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
}

export interface DeliveriesWanted extends Whose {
  readonly kind?: WebhookKind;
  readonly type?: string;
  /** Only those of events in front of this one. */
  readonly before?: bigint;
  /** Only those that were attempted and not delivered. */
  readonly failing: boolean;
  readonly limit: number;
}

/** What was sent to a merchant's endpoints, as the command line shows it. Each method throws DependencyUnavailable. */
export abstract class WebhookLog {
  /** The newest first. */
  abstract list(wanted: DeliveriesWanted): Promise<readonly Delivery[]>;
  /** Of one event, whoever's: the caller looks at whose it is. */
  abstract find(webhookId: string): Promise<{
    readonly deliveries: readonly Delivery[];
    readonly attempts: readonly DeliveryAttempt[];
  }>;
  /** Of some events, in the order of their sequence. */
  abstract ofEvents(whose: Whose, webhookIds: readonly string[]): Promise<readonly Delivery[]>;
  /** Of the merchant's endpoints in both modes. */
  abstract health(merchantId: string): Promise<readonly EndpointHealth[]>;
  /** Has the event sent now, with the same id and bytes, whether or not it was delivered before; notes whose wish it was. */
  abstract resend(
    event: Omit<WebhookEvent, 'body'>,
    kind: WebhookKind,
    person: Person,
  ): Promise<void>;
}

/** A call that was refused, by what may be kept of it: no path, no query, no body. */
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

/** A refused call as it stands in the records. */
export interface ListedRefusal extends RefusedRequest {
  /** In the order in which they were written. */
  readonly id: bigint;
}

/** What was noted of calls in a few seconds. */
export interface NotedCalls {
  /** One of each credential: its latest. */
  readonly uses: readonly { readonly credentialId: string; readonly at: Date }[];
  readonly refused: readonly RefusedRequest[];
}

/** What is kept of the calls of credentials; refusals for 7 days. Each method throws DependencyUnavailable. */
export abstract class CallRecords {
  abstract add(calls: NotedCalls): Promise<void>;
  /** Absent where none was noted. */
  abstract lastUses(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /** The newest first. @param before only those in front of this one */
  abstract refusals(
    credentialIds: readonly string[],
    page: { readonly before?: bigint; readonly limit: number },
  ): Promise<readonly ListedRefusal[]>;
}

/** How far a merchant is on its way from V3 to V4. */
export abstract class V3Readiness {
  /** Of this merchant alone; without merchants where it has no V3 credential and never called V3. @throws DependencyUnavailable */
  abstract of(merchantId: string): Promise<Readiness>;
}

/** A list as somebody wants to see it again. */
export interface SavedView {
  readonly name: string;
  /** The list's query, without its question mark. */
  readonly query: string;
}

/** The lists that people keep, each their own. Each method throws DependencyUnavailable. */
export abstract class SavedViews {
  /** By name. */
  abstract list(person: Person, whose: Whose): Promise<readonly SavedView[]>;
  /**
   * One of the name is replaced.
   * @returns false where the person keeps as many as there may be, and nothing was kept
   */
  abstract keep(person: Person, whose: Whose, view: SavedView): Promise<boolean>;
  abstract drop(person: Person, whose: Whose, name: string): Promise<void>;
}

/** A day, YYYY-MM-DD, of one of a merchant's accounts. */
export interface AccountDay extends Whose {
  readonly accountNo: string;
  readonly day: string;
}

/** That somebody has dealt with an open line, and what they wrote of it. */
export interface Handled {
  /** As events name a person. */
  readonly person: string;
  readonly note: string;
  readonly at: Date;
}

/** What people wrote of open lines of days (REC-35). */
export abstract class HandledExceptions {
  /** By what names the line, the oldest first. @throws DependencyUnavailable */
  abstract of(day: AccountDay): Promise<ReadonlyMap<string, readonly Handled[]>>;
}
