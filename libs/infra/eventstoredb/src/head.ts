import { type Position } from '#domain/event-sourcing';
import { BACKWARDS, END, type ReadPosition } from '@eventstore/db-client';
import { collect } from './collect.js';
import { type Reader } from './reader.js';

/** Mostly the newest event is ours; where it is not, fewer and longer pages. */
const firstPage = 16;
const maxPage = 512;

/** How far back one question had to look, so that the next looks only at what came since. */
interface Seen {
  /** Position of the log's newest event then, ours or not. */
  readonly newest: Position;
  /** The answer then. */
  readonly head: Position;
}

/**
 * Finds the newest event whose stream bears one of the prefixes, reading `$all` backwards: the server does
 * not filter reads. Foreign events behind our newest one are looked at once, not at every question.
 */
export class HeadFinder {
  readonly #reader: Reader;
  readonly #seen = new Map<string, Seen>();
  /** The first looks that are under way: what one of them finds, the others need not look for. */
  readonly #first = new Map<string, Promise<unknown>>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Position of the newest event, ours or not: a page of one. */
  async end(signal?: AbortSignal): Promise<Position> {
    const [newest] = await this.#page(END, 1, signal);
    return newest?.position ?? 0n;
  }

  async head(prefixes: readonly string[]): Promise<Position> {
    const key = prefixes.join('\n');
    // Nobody is answered by a look that began before the question: it may miss what the caller has written since.
    const underWay = this.#first.get(key);
    if (underWay) await underWay.catch(() => undefined);
    if (underWay ?? this.#seen.has(key)) return this.#look(key, prefixes);
    const first = this.#look(key, prefixes);
    this.#first.set(key, first);
    try {
      return await first;
    } finally {
      if (this.#first.get(key) === first) this.#first.delete(key);
    }
  }

  async #look(key: string, prefixes: readonly string[]): Promise<Position> {
    const before = this.#seen.get(key);
    let newest: Position | undefined;
    let from: ReadPosition = END;
    for (let size = firstPage; ; size = Math.min(size * 4, maxPage)) {
      const page = await this.#page(from, size);
      newest ??= page[0]?.position ?? 0n;
      // A log that is shorter than it was is another log.
      const known = before && newest >= before.newest ? before : undefined;
      const head = findHead(page, prefixes, known) ?? (page.length < size ? 0n : undefined);
      if (head !== undefined) return this.#remember(key, { newest, head });
      const oldest = page.at(-1)?.position ?? 0n;
      from = { commit: oldest, prepare: oldest };
    }
  }

  #page(
    from: ReadPosition,
    size: number,
    signal?: AbortSignal,
  ): Promise<{ stream: string; position: Position }[]> {
    return this.#reader.read(async (client, limits) => {
      const options = { direction: BACKWARDS, fromPosition: from, maxCount: size } as const;
      const events = await collect(client.readAll({ ...options, requiresLeader: true }), limits);
      return events.flatMap(({ event }) =>
        event ? [{ stream: event.streamId, position: event.position.commit }] : [],
      );
    }, signal);
  }

  #remember(key: string, seen: Seen): Position {
    // Callers ask with one or two sets of prefixes; a map that grows would be somebody's mistake.
    if (this.#seen.size >= 16) this.#seen.clear();
    this.#seen.set(key, seen);
    return seen.head;
  }
}

/** The page's newest matching event, or the earlier answer where the page reaches what was seen then. */
function findHead(
  page: readonly { stream: string; position: Position }[],
  prefixes: readonly string[],
  known: Seen | undefined,
): Position | undefined {
  for (const { stream, position } of page) {
    if (known && position <= known.newest) return known.head;
    if (bearsOneOf(stream, prefixes)) return position;
  }
  return undefined;
}

export function bearsOneOf(stream: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => stream.startsWith(prefix));
}
