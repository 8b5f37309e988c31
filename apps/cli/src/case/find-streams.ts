import { EventStore } from '#domain/event-sourcing';
import { Clock, modes } from '#domain/kernel';
import { Database } from '#infra/postgres';
import {
  findStreamsByRailReference,
  findStreamsByReceipt,
  findStreamsByReference,
  logBefore,
} from '#views/transactions';
import { projectedPrefixes } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';

/** What a search term turned out to be. */
export type FoundBy = 'reference' | 'receipt' | 'rail reference' | 'statement code' | 'request id';

export interface FoundStream {
  readonly stream: string;
  readonly by: FoundBy;
}

export interface Found {
  readonly streams: readonly FoundStream[];
  /** The log was not read to its end: there may be more. */
  readonly gaveUp: boolean;
}

/** Some ten seconds of reading. */
const maxEvents = 200_000;
const dayMs = 86_400_000;

/**
 * Looks up a search term. References, receipts and rail references have an index. The statement's
 * account code and request ids stand in the events alone: for those the log is read from a day on, a bounded part of it.
 * @param since YYYY-MM-DD, yesterday unless given
 */
export async function findStreams(
  app: INestApplicationContext,
  word: string,
  since?: string,
): Promise<Found> {
  const indexed = await byIndex(app.get(Database), word);
  if (indexed.length > 0) return { streams: indexed, gaveUp: false };
  const yesterday = new Date(app.get<Clock>(Clock).nowMs() - dayMs).toISOString().slice(0, 10);
  return byLog(app, word, since ?? yesterday);
}

async function byIndex(database: Database, word: string): Promise<readonly FoundStream[]> {
  const found = (by: FoundBy, streams: readonly string[]) =>
    streams.map((stream) => ({ stream, by }));
  const all = [...found('reference', await findStreamsByReference(database, word))];
  for (const mode of modes)
    all.push(
      ...found('receipt', await findStreamsByReceipt(database, mode, word.toUpperCase())),
      ...found(
        'rail reference',
        await findStreamsByRailReference(database, { mode, railReference: word }),
      ),
    );
  return all;
}

async function byLog(app: INestApplicationContext, word: string, since: string): Promise<Found> {
  const store = app.get<EventStore>(EventStore);
  const from = await logBefore(app.get(Database), since);
  const code = word.toUpperCase();
  const found = new Map<string, FoundStream>();
  let read = 0;
  for await (const { stream, data, metadata } of store.readAll(from, projectedPrefixes)) {
    read += 1;
    if (read > maxEvents) return { streams: [...found.values()], gaveUp: true };
    if (found.has(stream)) continue;
    if (metadata.correlationId === word) found.set(stream, { stream, by: 'request id' });
    else if ('accountReference' in data && data.accountReference === code)
      found.set(stream, { stream, by: 'statement code' });
  }
  return { streams: [...found.values()], gaveUp: false };
}
