import { type EventTypes } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type TwoAdmins } from '#domain/proposals';

/** `messages`: sealed messages, by their ids. `claims`: idempotency claims, by the ids of their intents' events. */
export type LossKind = 'messages' | 'claims';

/** Some losses of a list. It has no effect until two admins accept the list. */
export interface LossesListed {
  readonly type: 'LossesListed';
  readonly data: {
    readonly kind: LossKind;
    /** At most 2,000, in the order of their texts. */
    readonly ids: readonly string[];
  };
}

/** The extent of a list of losses. */
export interface LossSummary {
  readonly messages: number;
  readonly claims: number;
  /** The first and last event that names a loss: their positions, decimal strings, and times. */
  readonly fromPosition: string;
  readonly toPosition: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Binds every id of the list (AUD-33), lower-case hex. */
  readonly digest: string;
}

/** A list of losses, as it is proposed and accepted. */
export interface LossList extends LossSummary {
  /** Names the stream of the list. */
  readonly list: string;
}

/** Two admins accepted that the losses of a list stay lost. The metadata has the reason. */
export interface LossesAccepted {
  readonly type: 'LossesAccepted';
  readonly data: LossList & TwoAdmins;
}

export type LossEvent = LossesListed | LossesAccepted;

/** The names and versions under which history stores these events (EVT-1). */
export const lossEventTypes = {
  LossesListed: { version: 1 },
  LossesAccepted: { version: 1 },
} as const satisfies Record<LossEvent['type'], EventTypes[string]>;

/** The stream of all acceptances. */
export const lossesStream = 'platform-losses';

/** Returns the stream of one list. */
export function lossListStream(list: string): string {
  return `${lossesStream}:${list}`;
}

export function isLossStream(stream: string): boolean {
  return stream === lossesStream || stream.startsWith(`${lossesStream}:`);
}
