import { type DeliveriesStanding } from '#records/webhooks';
import { type WaitingPayouts } from '#views/payouts';
import { type WaitingCollections } from '#views/rail-queries';
import { type PlatformTodo } from './platform-todos.js';

/**
 * The ages from which a queue counts as one that no worker empties, in seconds. The alert rules PayoutsUnsent,
 * PayoutsWithoutResult and WebhooksOverdue have the same.
 */
export const queueBounds = {
  payoutsUnsent: 1800,
  payoutsWithoutResult: 6 * 3600,
  webhooksOverdue: 300,
} as const;

/** After RAIL_REVIEW_AFTER the worker lists a collection for review within seconds; a long list takes longer. */
const reviewMarginMs = 15 * 60_000;

export function payoutsTodo({
  unsentSeconds,
  forFloat,
  oldestSeconds,
}: WaitingPayouts): PlatformTodo | undefined {
  if (unsentSeconds > queueBounds.payoutsUnsent) return 'payouts_unsent';
  if (forFloat > 0) return 'float_missing';
  return oldestSeconds > queueBounds.payoutsWithoutResult ? 'payouts_old' : undefined;
}

export function webhooksTodo({
  overdueSeconds,
}: Pick<DeliveriesStanding, 'overdueSeconds'>): PlatformTodo | undefined {
  return overdueSeconds > queueBounds.webhooksOverdue ? 'webhooks_overdue' : undefined;
}

/** @param reviewAfterMs RAIL_REVIEW_AFTER: no collection waits for the rail alone for longer, unless the rail is away */
export function railTodo(
  { oldestSeconds }: Pick<WaitingCollections, 'oldestSeconds'>,
  reviewAfterMs: number,
): PlatformTodo | undefined {
  return oldestSeconds * 1000 > reviewAfterMs + reviewMarginMs ? 'collections_wait' : undefined;
}
