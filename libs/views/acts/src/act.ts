import { type RecordedEvent } from '#domain/event-sourcing';
import { type EventTypeName } from '#domain/event-types';
import { type Mode } from '#domain/kernel';
import { automaticApprover } from '#domain/payouts';
import { partitionOf } from '#views/view-set';

/** What acts are about, in the order in which they are offered. */
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
] as const;
export type ActKind = (typeof actKinds)[number];

/** Of every event that there is: null where it follows from another one, whoever that one was by. */
const kinds: Readonly<Record<EventTypeName, ActKind | null>> = {
  MerchantRegistered: 'merchant',
  AccountOpened: 'merchant',
  VidAssigned: 'merchant',
  HostsAllowed: 'merchant',
  CheckoutStrictSet: 'merchant',
  CredentialIssued: 'credential',
  CredentialRevoked: 'credential',
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
  FinalNoticeIssued: 'retirement',
  V3Retired: 'retirement',
  DrillRecorded: 'drill',
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
  PayoutReserved: null,
  PayoutApprovalExpired: null,
  PayoutWaitingForFloat: null,
  RailPayoutStarted: null,
  RailPayoutAccepted: null,
  FundsReserved: null,
  ReservationReleased: null,
  DaySealed: null,
};

/** What a holder decides by API is an act as well; what is asked for by API is a machine's. */
const decisions: ReadonlySet<string> = new Set([
  'PayoutApproved',
  'PayoutRejected',
  'PayoutBatchApproved',
  'PayoutBatchRejected',
]);
/** Of a batch's payouts each is told to be requested and decided, which the batch's own events tell once. */
const ofPayouts: ReadonlySet<string> = new Set([
  'PayoutRequested',
  'PayoutApproved',
  'PayoutRejected',
]);

/** What somebody did, as the view keeps it. */
export interface ActRow {
  readonly position: bigint;
  readonly kind: ActKind;
  readonly type: string;
  readonly recorded_at: string;
  /** As `actor.id` has it. */
  readonly actor: string;
  /** Whoever took part, each once. */
  readonly people: readonly string[];
  /** Null where it concerns the platform alone. */
  readonly merchant_id: string | null;
  readonly mode: Mode | null;
  readonly stream: string;
  readonly revision: bigint;
  readonly reason: string | null;
  /** JSON of what the event says, without what stands in the other columns. */
  readonly details: string;
}

/** @returns undefined where nobody did anything: a machine, the rail or the service did, or it follows from an act */
export function actOf(event: RecordedEvent): ActRow | undefined {
  const { type, data, metadata, stream } = event;
  const kind = kinds[type as EventTypeName];
  // A type that a later release writes is told of by that release.
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

/** Whose data it concerns; of evidence, the item that it is about. */
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

/** Postgres takes no NUL in a text, and one in a reason must not stop the views. */
function plain(text: string): string {
  return text.replaceAll('\0', String.raw`\0`);
}

/** What other columns hold, and digests that say nothing to a person or would tell a number's payments from others'. */
const noise: ReadonlySet<string> = new Set([
  ...['merchantId', 'mode', 'reason', 'phoneHmac', 'publicKeyPem'],
  ...['requestCommitment', 'railCommitment'],
]);

/** Amounts as texts. */
function withoutNoise(member: string, value: unknown): unknown {
  if (noise.has(member)) return undefined;
  return typeof value === 'bigint' ? value.toString() : value;
}
