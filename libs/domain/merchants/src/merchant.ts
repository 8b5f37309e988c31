import { assertNever, type Mode, modes } from '#domain/kernel';
import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { type FeeSchedule } from '#domain/ledger';
import { type Decided } from '#domain/proposals';
import {
  type CheckoutCredential,
  type Ending,
  type DestinationsSet,
  endOf,
  type FeeScheduleSet,
  type HolderBound,
  type LimitsSet,
  type MerchantEvent,
  merchantEventTypes,
  type MerchantRegistered,
  type PauseEvent,
  type PayoutBounds,
  type V4Credential,
  type WebhookEndpointSet,
} from './merchant.events.js';

/** The form of account numbers (COL-2). A text in another form is never looked up. */
export const accountNoPattern = /^[0-9]{1,32}$/;

/** An account as the edges know it: the destination of money in this mode and currency, and its terms. */
export interface Account {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo: string;
  readonly currency: string;
  readonly feeSchedule: FeeSchedule;
  /** The rails over which V4 may move its money, `mpesa` first. */
  readonly channels: readonly string[];
}

interface IssuedBefore extends Ending {
  readonly credentialId: string;
  readonly kind: 'v4' | 'v3' | 'checkout';
  readonly holder: string;
  readonly revoked: boolean;
  /** True if it was revoked because another person may have used it. */
  readonly compromised?: true;
  /** Absent for a V3 credential, which has no mode. */
  readonly mode?: Mode;
  /** The addresses from which a V4 credential may call now. */
  readonly ipRanges?: readonly string[];
  /** The consumer key of a V3 credential. */
  readonly consumerKey?: string;
}

/** The bounds and pauses of a merchant's payouts, by mode, as the log has them (PAY-47, PAY-49). */
export interface PayoutStanding extends PauseCount {
  readonly bounds: Partial<Record<Mode, PayoutBounds>>;
  /** The keyed digests of the only numbers that may be paid; absent if any may. */
  readonly destinations: Partial<Record<Mode, readonly string[]>>;
}

/** The pauses in one stream. */
export interface PauseCount {
  readonly paused: readonly Mode[];
  /** Number of PayoutsPaused events so far: a proposal to resume names it, so that it ends no later pause. */
  readonly pauses: number;
}

export interface RegisteredMerchant {
  readonly kind: 'registered';
  readonly merchantId: string;
  readonly accounts: readonly Pick<Account, 'accountNo' | 'mode' | 'currency'>[];
  readonly credentials: readonly IssuedBefore[];
  /** At most one for each mode and kind. */
  readonly webhooks: readonly WebhookEndpointSet['data'][];
  /** At most one for each holder of a credential. */
  readonly holders: readonly HolderBound['data'][];
  /** All bindings ever, the oldest first, because a former holder of a credential's key may still have it. */
  readonly bindings: readonly Binding[];
  /** The terms that apply now, at most one of each kind for each mode. */
  readonly fees: readonly FeeScheduleSet['data'][];
  readonly limits: readonly LimitsSet['data'][];
  readonly destinations: readonly DestinationsSet['data'][];
  /** Ids of the proposals that two admins carried out (PEO-32). */
  readonly carriedOut: ReadonlySet<string>;
  readonly payouts: PayoutStanding;
  /** Absent until the first V3 credential. */
  readonly vid?: string;
}

export type Merchant = { readonly kind: 'none' } | RegisteredMerchant;

/** The binding of a holder to a person or system. */
export type Binding = HolderBound['data'] & {
  /** False if one person made it while the merchant had demo data only. Such a binding is no identity in live mode (PEO-38). */
  readonly countsLive: boolean;
};

/** True once the merchant has a live account or credential. A binding has no mode, so two admins make it from then on. */
export function mayActLive({
  accounts,
  credentials,
}: Pick<RegisteredMerchant, 'accounts' | 'credentials'>): boolean {
  return [...accounts, ...credentials].some(({ mode }) => mode === 'live');
}

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
    const none = { accounts: [], credentials: [], webhooks: [], holders: [], bindings: [] };
    const terms = { fees: [], limits: [], destinations: [] };
    const payouts = { bounds: {}, destinations: {}, paused: [], pauses: 0 };
    return { kind: 'registered', merchantId, ...none, ...terms, carriedOut: new Set(), payouts };
  }
  if (state.kind === 'none') {
    throw new TypeError(
      `a merchant's history begins with its registration, not with ${event.type}`,
    );
  }
  return evolveRegistered(noted(state, event), event);
}

/** Adds the proposal in the event's cause, so that a repeated confirmation finds it. */
function noted(
  state: RegisteredMerchant,
  { data, metadata: { causationId } }: MerchantEvent & { readonly metadata: EventMetadata },
): RegisteredMerchant {
  if (!('confirmedBy' in data) || causationId === undefined) return state;
  return { ...state, carriedOut: new Set(state.carriedOut).add(causationId) };
}

/** True if the two admins carried out this very proposal before. */
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
      const named =
        event.data.kind === 'v3'
          ? { consumerKey: event.data.consumerKey }
          : { mode: event.data.mode, ...rangesOf(event.data) };
      const issued = { credentialId, kind, holder, revoked: false, ...named, ...endOf(event.data) };
      return { ...state, credentials: [...state.credentials, issued] };
    }
    case 'CredentialRevoked': {
      const { credentialId, compromised } = event.data;
      const how = { revoked: true, ...(compromised ? { compromised } : {}) };
      return withCredential(state, credentialId, (before) => ({ ...before, ...how }));
    }
    case 'CredentialExpirySet':
      return withCredential(
        state,
        event.data.credentialId,
        ({ expiresAt: _before, ...others }) => ({
          ...others,
          ...endOf(event.data),
        }),
      );
    case 'WebhookEndpointSet': {
      const { mode, kind } = event.data;
      const others = state.webhooks.filter((of) => of.mode !== mode || of.kind !== kind);
      return { ...state, webhooks: [...others, event.data] };
    }
    case 'HolderBound': {
      const others = state.holders.filter(({ holder }) => holder !== event.data.holder);
      const countsLive = event.data.confirmedBy !== undefined || mayActLive(state);
      const bindings = [...state.bindings, { ...event.data, countsLive }];
      return { ...state, holders: [...others, event.data], bindings };
    }
    case 'VidAssigned':
      return { ...state, vid: event.data.vid };
    case 'LimitsSet':
      return withLimits(state, event.data);
    case 'DestinationsSet':
      return withDestinations(state, event.data);
    case 'PayoutsPaused':
    case 'PayoutsResumed': {
      return { ...state, payouts: { ...state.payouts, ...pausesAfter(state.payouts, event) } };
    }
    case 'FeeScheduleSet':
      return { ...state, fees: withMode(state.fees, event.data) };
    case 'IpListChanged': {
      const { credentialId, ipRanges } = event.data;
      return withCredential(state, credentialId, (before) => ({ ...before, ipRanges }));
    }
    case 'HostsAllowed':
    case 'AccountChannelsSet':
    case 'CheckoutStrictSet':
      // Requests are checked against these as the views have them; no decision here needs them.
      return state;
    default:
      return assertNever(event);
  }
}

/** The pauses of a stream after the event. */
export function pausesAfter(before: PauseCount, { type, data }: PauseEvent): PauseCount {
  const named = data.mode === undefined ? modes : [data.mode];
  const others = before.paused.filter((mode) => !named.includes(mode));
  return type === 'PayoutsPaused'
    ? { paused: [...others, ...named], pauses: before.pauses + 1 }
    : { paused: others, pauses: before.pauses };
}

function withLimits(state: RegisteredMerchant, limits: LimitsSet['data']): RegisteredMerchant {
  const { mode, ...set } = limits;
  const bounds = { ...state.payouts.bounds, [mode]: set };
  const payouts = { ...state.payouts, bounds };
  return { ...state, payouts, limits: withMode(state.limits, limits) };
}

function withDestinations(
  state: RegisteredMerchant,
  named: DestinationsSet['data'],
): RegisteredMerchant {
  const { mode, destinations: set } = named;
  const { [mode]: _before, ...others } = state.payouts.destinations;
  const own = set === undefined ? {} : { [mode]: set.map(({ phoneHmac }) => phoneHmac) };
  const payouts = { ...state.payouts, destinations: { ...others, ...own } };
  return { ...state, payouts, destinations: withMode(state.destinations, named) };
}

/** The credential of a merchant, also a revoked one. */
export function credentialOf(
  credentialId: string,
  { credentials }: RegisteredMerchant,
): IssuedBefore | undefined {
  return credentials.find((one) => one.credentialId === credentialId);
}

function withCredential(
  state: RegisteredMerchant,
  credentialId: string,
  change: (before: IssuedBefore) => IssuedBefore,
): RegisteredMerchant {
  const credentials = state.credentials.map((credential) =>
    credential.credentialId === credentialId ? change(credential) : credential,
  );
  return { ...state, credentials };
}

function rangesOf(credential: V4Credential | CheckoutCredential) {
  return credential.kind === 'v4' ? { ipRanges: credential.ipRanges } : {};
}

/** Keeps the newest for each mode. */
function withMode<Terms extends { readonly mode: Mode }>(
  before: readonly Terms[],
  terms: Terms,
): readonly Terms[] {
  return [...before.filter(({ mode }) => mode !== terms.mode), terms];
}
