import { type RecordedEvent } from '#domain/event-sourcing';
import { type EventTypeName } from '#domain/event-types';
import { type Mode } from '#domain/kernel';
import { automaticApprover } from '#domain/payouts';
import { partitionOf } from '#views/view-set';

/** Subjects of acts, in the order in which the filter offers them. */
export const actKinds = [
  'merchant',
  'credential',
  'fee',
  'limit',
  'webhook',
  'payout',
  'review',
  'correction',
  'reconciliation',
  'role',
  'evidence',
  'retirement',
  'drill',
  'rail',
] as const;
export type ActKind = (typeof actKinds)[number];

/** The kind of each event type; null if the event only follows from another one. */
const kinds: Readonly<Record<EventTypeName, ActKind | null>> = {
  MerchantRegistered: 'merchant',
  AccountOpened: 'merchant',
  VidAssigned: 'merchant',
  HostsAllowed: 'merchant',
  AccountChannelsSet: 'merchant',
  CheckoutStrictSet: 'merchant',
  CredentialIssued: 'credential',
  CredentialRevoked: 'credential',
  CredentialExpirySet: 'credential',
  IpListChanged: 'credential',
  HolderBound: 'credential',
  FeeScheduleSet: 'fee',
  LimitsSet: 'limit',
  DestinationsSet: 'limit',
  WebhookEndpointSet: 'webhook',
  PayoutsPaused: 'payout',
  PayoutsResumed: 'payout',
  PayoutRequested: 'payout',
  PayoutApproved: 'payout',
  PayoutRejected: 'payout',
  PayoutBatchRequested: 'payout',
  PayoutBatchApproved: 'payout',
  PayoutBatchRejected: 'payout',
  ReviewFlagged: 'review',
  ReviewDecided: 'review',
  CorrectionProposed: 'correction',
  CorrectionPosted: 'correction',
  CorrectionEnded: 'correction',
  ReconciliationRecorded: 'reconciliation',
  DifferencesNoted: 'reconciliation',
  RoleGranted: 'role',
  RoleRevoked: 'role',
  AdminSuspended: 'role',
  AdminUnsuspended: 'role',
  BreakGlassAnnounced: 'role',
  BreakGlassStopped: 'role',
  EvidenceOpened: 'evidence',
  EvidenceErased: 'evidence',
  LossesAccepted: 'evidence',
  FinalNoticeIssued: 'retirement',
  V3Retired: 'retirement',
  DrillRecorded: 'drill',
  NoticeAddressesRegistered: 'rail',
  RailReportDismissed: 'rail',
  RailBalanceAccepted: 'rail',
  CollectionIntentRecorded: null,
  RailPushAccepted: null,
  RailPushRejected: null,
  RailConfirmed: null,
  RailDeclined: null,
  RailReceiptRecorded: null,
  WalletPosted: null,
  AmountMismatchRecorded: null,
  SuspensePosted: null,
  SuspenseResolved: null,
  RefundReserved: null,
  RefundReleased: null,
  RefundPaid: null,
  PayoutReserved: null,
  PayoutApprovalExpired: null,
  PayoutWaitingForFloat: null,
  RailPayoutStarted: null,
  RailPayoutAccepted: null,
  FundsReserved: null,
  ReservationReleased: null,
  DaySealed: null,
  LossesListed: null,
  BankSettlementPosted: null,
  RailBalanceCompared: null,
};

/** Decisions by a holder with the API, which are acts as well. Requests with the API come from machines and are no acts. */
const decisions: ReadonlySet<string> = new Set([
  'PayoutApproved',
  'PayoutRejected',
  'PayoutBatchApproved',
  'PayoutBatchRejected',
]);
/** Events of single payouts. If a batch caused them, the batch's own events are the acts. */
const ofPayouts: ReadonlySet<string> = new Set([
  'PayoutRequested',
  'PayoutApproved',
  'PayoutRejected',
]);

/** A row of the view: one act of a person. */
export interface ActRow {
  readonly position: bigint;
  readonly kind: ActKind;
  readonly type: string;
  readonly recorded_at: string;
  /** Equal to `actor.id`. */
  readonly actor: string;
  /** Everyone who took part, each once. */
  readonly people: readonly string[];
  /** Null if the act concerns only the platform. */
  readonly merchant_id: string | null;
  readonly mode: Mode | null;
  readonly stream: string;
  readonly revision: bigint;
  readonly reason: string | null;
  /** The event's data as JSON, without those in the other columns. */
  readonly details: string;
}

/** @returns undefined if no person acted: a machine, the rail or the service did, or the event follows from an act */
export function actOf(event: RecordedEvent): ActRow | undefined {
  const { type, data, metadata, stream } = event;
  const kind = kinds[type as EventTypeName];
  // This release does not know the type; the later release that writes it projects it.
  if (!kind) return undefined;
  const { actor } = metadata;
  const holder = textIn(data, 'holder');
  const isDecision = decisions.has(type) && holder !== undefined && holder !== automaticApprover;
  if (actor.kind !== 'operator' && !(actor.kind === 'credential' && isDecision)) return undefined;
  if (metadata.causationId !== undefined && ofPayouts.has(type)) return undefined;
  const told = [actor.id, actor.holder, isDecision ? holder : undefined];
  const named = [...told, textIn(data, 'proposedBy'), textIn(data, 'confirmedBy')];
  return {
    position: event.position,
    kind,
    type,
    recorded_at: event.recordedAt,
    actor: actor.id,
    people: [...new Set(named.filter((name) => name !== undefined))],
    ...placeOf(event),
    stream,
    revision: event.revision,
    reason: textIn(metadata, 'reason') ?? textIn(data, 'reason') ?? textIn(data, 'why') ?? null,
    details: JSON.stringify(data, withoutNoise),
  };
}

/** The merchant and mode that the act concerns; for evidence, those of the item that it is about. */
function placeOf({ stream, data }: RecordedEvent): Pick<ActRow, 'merchant_id' | 'mode'> {
  const { merchantId, scope } =
    partitionOf({ stream: textIn(data, 'stream') ?? stream, data }) ?? {};
  const mode = textIn(data, 'mode') ?? (scope === 'merchant' ? undefined : scope);
  return {
    merchant_id: textIn(data, 'merchantId') ?? merchantId ?? null,
    mode: mode === 'live' || mode === 'demo' ? mode : null,
  };
}

function textIn(data: object, member: string): string | undefined {
  const value: unknown = (data as Readonly<Record<string, unknown>>)[member];
  return typeof value === 'string' && value !== '' ? plain(value) : undefined;
}

/** Postgres rejects NUL in a text, and a NUL in a reason must not stop the views. */
function plain(text: string): string {
  return text.replaceAll('\0', String.raw`\0`);
}

/** Data that are in other columns, and digests: those mean nothing to a person, or would link payments by one number. */
const noise: ReadonlySet<string> = new Set([
  ...['merchantId', 'mode', 'reason', 'phoneHmac', 'publicKeyPem'],
  ...['requestCommitment', 'railCommitment'],
]);

/** Writes amounts as text. */
function withoutNoise(member: string, value: unknown): unknown {
  if (noise.has(member)) return undefined;
  return typeof value === 'bigint' ? value.toString() : value;
}
