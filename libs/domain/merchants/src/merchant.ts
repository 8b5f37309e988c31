import { assertNever, type Mode, modes } from '#domain/kernel';
import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { type FeeSchedule } from '#domain/ledger';
import { type Decided } from '#domain/proposals';
import {
  type HolderBound,
  type MerchantEvent,
  merchantEventTypes,
  type MerchantRegistered,
  type PauseEvent,
  type PayoutBounds,
  type WebhookEndpointSet,
} from './merchant.events.js';

/** What can be an account number at all (COL-2); nobody is asked about anything else. */
export const accountNoPattern = /^[0-9]{1,32}$/;

/** An account as the edges know it: where money of this mode and currency goes, and on what terms. */
export interface Account {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo: string;
  readonly currency: string;
  readonly feeSchedule: FeeSchedule;
}

interface IssuedBefore {
  readonly credentialId: string;
  readonly kind: 'v4' | 'v3' | 'checkout';
  readonly holder: string;
  readonly revoked: boolean;
  /** Revoked because somebody else may have used it. */
  readonly compromised?: true;
  /** Of a V3 credential. */
  readonly consumerKey?: string;
}

/** What bounds and stops a merchant's payouts, by mode, as the log has it (PAY-47, PAY-49). */
export interface PayoutStanding {
  readonly bounds: Partial<Record<Mode, PayoutBounds>>;
  /** The keyed digests of the only numbers that may be paid; absent: any. */
  readonly destinations: Partial<Record<Mode, readonly string[]>>;
  readonly paused: readonly Mode[];
}

export interface RegisteredMerchant {
  readonly kind: 'registered';
  readonly merchantId: string;
  readonly accounts: readonly Pick<Account, 'accountNo' | 'mode' | 'currency'>[];
  readonly credentials: readonly IssuedBefore[];
  /** One at most for each mode and kind. */
  readonly webhooks: readonly WebhookEndpointSet['data'][];
  /** One at most for each holder of a credential. */
  readonly holders: readonly HolderBound['data'][];
  /** Ids of the proposals that two admins carried out (PEO-32). */
  readonly carriedOut: ReadonlySet<string>;
  readonly payouts: PayoutStanding;
  /** Absent until the first V3 credential. */
  readonly vid?: string;
}

export type Merchant = { readonly kind: 'none' } | RegisteredMerchant;

export const merchantDecider: Decider<Merchant, MerchantEvent> = {
  types: merchantEventTypes,
  initial: { kind: 'none' },
  evolve,
};

function evolve(
  state: Merchant,
  event: MerchantEvent & { readonly metadata: EventMetadata },
): Merchant {
  if (event.type === 'MerchantRegistered') {
    const { merchantId } = event.data;
    const none = { accounts: [], credentials: [], webhooks: [], holders: [] };
    const payouts = { bounds: {}, destinations: {}, paused: [] };
    return { kind: 'registered', merchantId, ...none, carriedOut: new Set(), payouts };
  }
  if (state.kind === 'none') {
    throw new TypeError(
      `a merchant's history begins with its registration, not with ${event.type}`,
    );
  }
  return evolveRegistered(noted(state, event), event);
}

/** With the proposal of which the event tells: whoever confirms it again finds it. */
function noted(
  state: RegisteredMerchant,
  { data, metadata: { causationId } }: MerchantEvent & { readonly metadata: EventMetadata },
): RegisteredMerchant {
  if (!('confirmedBy' in data) || causationId === undefined) return state;
  return { ...state, carriedOut: new Set(state.carriedOut).add(causationId) };
}

/** True if the two carried out this very proposal before. */
export function isCarriedOut(decided: Decided, state: Merchant): boolean {
  return decided.by === 'two' && state.kind !== 'none' && state.carriedOut.has(decided.proposalId);
}

function evolveRegistered(
  state: RegisteredMerchant,
  event: Exclude<MerchantEvent, MerchantRegistered>,
): Merchant {
  switch (event.type) {
    case 'AccountOpened':
      return { ...state, accounts: [...state.accounts, event.data] };
    case 'CredentialIssued': {
      const { credentialId, kind, holder } = event.data;
      const named = event.data.kind === 'v3' ? { consumerKey: event.data.consumerKey } : {};
      const issued = { credentialId, kind, holder, revoked: false, ...named };
      return { ...state, credentials: [...state.credentials, issued] };
    }
    case 'CredentialRevoked': {
      const { credentialId, compromised } = event.data;
      const how = { revoked: true, ...(compromised ? { compromised } : {}) };
      const credentials = state.credentials.map((credential) =>
        credential.credentialId === credentialId ? { ...credential, ...how } : credential,
      );
      return { ...state, credentials };
    }
    case 'WebhookEndpointSet': {
      const { mode, kind } = event.data;
      const others = state.webhooks.filter((of) => of.mode !== mode || of.kind !== kind);
      return { ...state, webhooks: [...others, event.data] };
    }
    case 'HolderBound': {
      const others = state.holders.filter(({ holder }) => holder !== event.data.holder);
      return { ...state, holders: [...others, event.data] };
    }
    case 'VidAssigned':
      return { ...state, vid: event.data.vid };
    case 'LimitsSet': {
      const { mode, ...set } = event.data;
      const bounds = { ...state.payouts.bounds, [mode]: set };
      return { ...state, payouts: { ...state.payouts, bounds } };
    }
    case 'DestinationsSet': {
      const { mode, destinations: set } = event.data;
      const { [mode]: _before, ...others } = state.payouts.destinations;
      const own = set === undefined ? {} : { [mode]: set.map(({ phoneHmac }) => phoneHmac) };
      return { ...state, payouts: { ...state.payouts, destinations: { ...others, ...own } } };
    }
    case 'PayoutsPaused':
    case 'PayoutsResumed': {
      const paused = pausedAfter(state.payouts.paused, event);
      return { ...state, payouts: { ...state.payouts, paused } };
    }
    case 'FeeScheduleSet':
    case 'IpListChanged':
    case 'HostsAllowed':
    case 'CheckoutStrictSet':
      // Read from the views when a request is measured against them; no decision here needs them.
      return state;
    default:
      return assertNever(event);
  }
}

/** The modes that are paused after the event. */
export function pausedAfter(before: readonly Mode[], { type, data }: PauseEvent): readonly Mode[] {
  const named = data.mode === undefined ? modes : [data.mode];
  const others = before.filter((mode) => !named.includes(mode));
  return type === 'PayoutsPaused' ? [...others, ...named] : others;
}
