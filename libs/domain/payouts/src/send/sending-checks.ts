import { type Instant, msFromInstant } from '#domain/kernel';
import { type Merchant, type PayoutBounds } from '#domain/merchants';
import { type Approved, isPaidToNumber } from '../payout.js';
import { automaticApprover, type ExpiryReason } from '../payout.events.js';

/** Facts outside the payout's own history that decide if an approval still counts. */
export interface ApprovalStanding {
  /** The time at which the store recorded the approval. */
  readonly approvedAt: Instant;
  readonly now: Instant;
  /** PAYOUT_MAX_AGE. */
  readonly maxAgeMs: number;
}

/** True if the approval is too old for the payout to be started (PAY-48). */
export function isTooOld({ approvedAt, now, maxAgeMs }: ApprovalStanding): boolean {
  return msFromInstant(now) - msFromInstant(approvedAt) > maxAgeMs;
}

/** Returns the reason why the approval no longer counts at the time of sending; undefined if it does. */
export function expiryOf(
  standing: ApprovalStanding,
  state: Approved,
  merchant: Merchant,
): ExpiryReason | undefined {
  if (isTooOld(standing)) return 'age';
  return passesChecks(state, merchant) ? undefined : 'checks';
}

/**
 * Repeats the checks of the request at the time of sending (PAY-49):
 * - the limit of one payout;
 * - the only numbers that may be paid;
 * - no revocation of either credential as compromised;
 * - the automatic amount.
 *
 * A rotation changes nothing.
 */
function passesChecks(state: Approved, merchant: Merchant): boolean {
  if (merchant.kind === 'none') return true;
  const { request, asker, approver } = state;
  const { mode, amountMinor, phoneHmac = '' } = request;
  const { bounds, destinations } = merchant.payouts;
  const { maxMinor } = bounds[mode] ?? {};
  const named = destinations[mode];
  if (maxMinor !== undefined && amountMinor > maxMinor) return false;
  if (named && isPaidToNumber(request) && !named.includes(phoneHmac)) return false;
  if (!mayStillPassAlone(state, bounds[mode])) return false;
  const used = [asker.credential, approver.credential];
  return !merchant.credentials.some(
    ({ credentialId, compromised }) => compromised === true && used.includes(credentialId),
  );
}

/**
 * False if the payout passed without a second holder, and its amount no longer may (PAY-64). The day's sum stays as it
 * was counted. Only a day's limit that is below this one amount ends the approval.
 */
function mayStillPassAlone(
  { approvedBy, request: { amountMinor } }: Approved,
  { automaticMaxMinor = 0n, automaticPerDayMinor = 0n }: PayoutBounds = {},
): boolean {
  if (approvedBy !== automaticApprover) return true;
  return amountMinor <= automaticMaxMinor && amountMinor <= automaticPerDayMinor;
}
