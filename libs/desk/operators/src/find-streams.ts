import { type EventStore } from '#domain/event-sourcing';
import { type Clock, modes } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import {
  findStreamsByRailReference,
  findStreamsByReceipt,
  findStreamsByReference,
  logBefore,
  receiptForms,
} from '#views/transactions';
import { projectedPrefixes } from '#views/view-set';

/** The kind of a search term that was found. */
export type FoundBy =
  'reference' | 'receipt' | 'rail reference' | 'statement code' | 'request id' | 'event id';

export interface FoundStream {
  readonly stream: string;
  readonly by: FoundBy;
}

export interface Found {
  readonly streams: readonly FoundStream[];
  /** True if the log was not read to its end, so there may be more. */
  readonly gaveUp: boolean;
}

/** Returns the form in which the service stores a rail's own identifier: without a customer's number (OPS-18). */
export type KnownAs = (railId: string) => Promise<string>;

/** Sources for the search. */
export class SearchSources {
  constructor(
    readonly store: EventStore,
    readonly database: Queryable,
    readonly clock: Clock,
    readonly knownAs: KnownAs,
  ) {}
}

/** Reading these takes some ten seconds. */
const maxEventsRead = 200_000;
const dayMs = 86_400_000;

/** Limits of a search in the log: the first day, and the number of events. */
export interface LogSearch {
  /** YYYY-MM-DD; yesterday if absent. */
  readonly since?: string | undefined;
  readonly maxEvents?: number;
}

/** Finds references, receipts and rail references, which have an index. */
export async function findByIndex(
  { database, knownAs }: Pick<SearchSources, 'database' | 'knownAs'>,
  word: string,
): Promise<readonly FoundStream[]> {
  const found = (by: FoundBy, streams: readonly string[]) =>
    streams.map((stream) => ({ stream, by }));
  // Search for the given form as well: earlier releases did not hide numbers, so their events contain it.
  const railReferences = new Set([word, await knownAs(word)]);
  const all = [...found('reference', await findStreamsByReference(database, word))];
  for (const mode of modes) {
    for (const receipt of receiptForms(word))
      all.push(...found('receipt', await findStreamsByReceipt(database, mode, receipt)));
    for (const railReference of railReferences) {
      const streams = await findStreamsByRailReference(database, { mode, railReference });
      all.push(...found('rail reference', streams));
    }
  }
  return all;
}

/**
 * The statement's account code, request ids and event ids are only in the events. It reads a bounded part of the log,
 * from a day on.
 */
export async function findInLog(
  { store, database, clock }: SearchSources,
  word: string,
  { since, maxEvents = maxEventsRead }: LogSearch,
): Promise<Found> {
  const yesterday = new Date(clock.nowMs() - dayMs).toISOString().slice(0, 10);
  const from = await logBefore(database, since ?? yesterday);
  const code = word.toUpperCase();
  const found = new Map<string, FoundStream>();
  let read = 0;
  for await (const { id, stream, data, metadata } of store.readAll(from, projectedPrefixes)) {
    read += 1;
    if (read > maxEvents) return { streams: [...found.values()], gaveUp: true };
    if (found.has(stream)) continue;
    if (metadata.correlationId === word) found.set(stream, { stream, by: 'request id' });
    else if (id === word) found.set(stream, { stream, by: 'event id' });
    else if ('accountReference' in data && data.accountReference === code)
      found.set(stream, { stream, by: 'statement code' });
  }
  return { streams: [...found.values()], gaveUp: false };
}
