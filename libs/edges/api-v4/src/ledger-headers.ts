import { type Position } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type FastifyReply } from 'fastify';

/** The headers of an answer from a view, for its documentation. */
export const viewHeaders = {
  'X-PP-Ledger-Position': 'always',
  'X-PP-Ledger-Time': 'always',
} as const;

/** The headers of an answer from the log itself; only what cannot be told is left out. */
export const logHeaders = { 'X-PP-Ledger-Position': 'sometimes' } as const;

/** The position of the log that the answer reflects (LIST-13). */
export function showPosition(reply: FastifyReply, position: Position | undefined): void {
  if (position !== undefined) void reply.header('X-PP-Ledger-Position', position.toString());
}

/** The position, and since when the view held all of the log: how fresh it is. */
export function showFreshness(
  reply: FastifyReply,
  { position, asOf }: { readonly position: Position; readonly asOf: Instant },
): void {
  showPosition(reply, position);
  void reply.header('X-PP-Ledger-Time', asOf);
}
