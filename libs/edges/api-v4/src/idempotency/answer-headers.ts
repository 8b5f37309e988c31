import { type FastifyReply } from 'fastify';

/** Tells that the same call, key and fields, was made before. */
export function showReplayed(reply: FastifyReply, replayed: boolean): void {
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
}

/** Tells that the answer is about what was there before, and in what the request is another. */
export function showExisting(reply: FastifyReply, differences: readonly string[]): void {
  void reply.header('X-PP-Existing', 'true');
  if (differences.length > 0) void reply.header('X-PP-Differs', differences.join(', '));
}
