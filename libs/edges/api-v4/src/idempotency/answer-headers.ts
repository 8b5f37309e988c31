import { type FastifyReply } from 'fastify';
import { logHeaders } from '../ledger-position.js';

/** The headers of an answer to a decision on a payout. */
export const decisionHeaders = { ...logHeaders, 'Idempotent-Replayed': 'sometimes' } as const;

/** The headers of an answer to a request that records an item under the merchant's reference. */
export const recordingHeaders = {
  ...decisionHeaders,
  'X-PP-Existing': 'sometimes',
  'X-PP-Differs': 'sometimes',
} as const;

/** Marks the answer as a replay: the same call, with the same key and fields, was made before. */
export function showReplayed(reply: FastifyReply, replayed: boolean): void {
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
}

/** Marks the answer as being about an existing item, and names the fields in which the request differs. */
export function showExisting(reply: FastifyReply, differences: readonly string[]): void {
  void reply.header('X-PP-Existing', 'true');
  if (differences.length > 0) void reply.header('X-PP-Differs', differences.join(', '));
}
