import { type FastifyReply } from 'fastify';

/** Marks the answer as a replay: the same call, with the same key and fields, was made before. */
export function showReplayed(reply: FastifyReply, replayed: boolean): void {
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
}

/** Marks the answer as being about an existing item, and names the fields in which the request differs. */
export function showExisting(reply: FastifyReply, differences: readonly string[]): void {
  void reply.header('X-PP-Existing', 'true');
  if (differences.length > 0) void reply.header('X-PP-Differs', differences.join(', '));
}
