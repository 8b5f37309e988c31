import { type ExpectedRevision } from '../wire/append-requests.js';

/** The state of the stream before an append. `head` is −1 if the stream never had an event. */
export interface StreamState {
  readonly head: number;
  readonly softDeleted: boolean;
  readonly tombstoned: boolean;
}

/** The known ids of the append's events. */
export interface KnownEvents {
  /** Id of the event at this revision of the stream. */
  idAt(revision: number): string | undefined;
  /** Revision in this stream of a recently written id. */
  recentRevision(id: string): number | undefined;
  /** True if the stream has metadata. They make it exist even if it never had an event. */
  hasMetadata(): boolean;
}

export type AppendVerdict =
  | { readonly kind: 'write' }
  /** The same events were written before; `revision` is the revision of the last one. */
  | { readonly kind: 'repeat'; readonly revision: number }
  | { readonly kind: 'wrong-expected' }
  | { readonly kind: 'stream-deleted' };

const WRITE = { kind: 'write' } as const;
const WRONG = { kind: 'wrong-expected' } as const;
const DELETED = { kind: 'stream-deleted' } as const;

/**
 * Decides an append as EventStoreDB does. Below the head, the same ids at the following revisions are a repetition; at
 * the head they are written (again). With `any` and `stream_exists`, only recent ids count.
 */
export function decideAppend(
  state: StreamState,
  expected: ExpectedRevision,
  ids: readonly string[],
  known: KnownEvents,
): AppendVerdict {
  if (state.tombstoned) return DELETED;
  if (expected === 'stream_exists') {
    if (state.softDeleted) return DELETED;
    if (state.head < 0 && !known.hasMetadata()) return WRONG;
  }
  if (expected === 'any' || expected === 'stream_exists') return recentRepeat(ids, known) ?? WRITE;
  const base = expected === 'no_stream' ? -1 : expected;
  if (base === state.head) return WRITE;
  if (base > state.head) return WRONG;
  const mismatch = ids.findIndex((id, index) => known.idAt(base + 1 + index) !== id);
  if (mismatch === -1 && ids.length > 0) return { kind: 'repeat', revision: base + ids.length };
  // A soft-deleted stream counts as absent for a writer that starts it again with an event.
  if (mismatch === 0 && expected === 'no_stream' && state.softDeleted) return WRITE;
  return WRONG;
}

/** Returns a repetition if all ids are recent, and a refusal if only the first ones are. */
function recentRepeat(ids: readonly string[], known: KnownEvents): AppendVerdict | undefined {
  let revision: number | undefined;
  for (const [index, id] of ids.entries()) {
    const recent = known.recentRevision(id);
    if (recent === undefined) return index === 0 ? undefined : WRONG;
    revision = recent;
  }
  return revision === undefined ? undefined : { kind: 'repeat', revision };
}
