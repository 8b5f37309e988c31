import { type Position } from '#domain/event-sourcing';
import { collect } from './collect.js';
import { type Reader } from './reader.js';
import { encodeLogPage } from './wire/read-request.js';
import { type StoredEvent } from './wire/read-response.js';
import { type LogPosition } from './wire/shared-messages.js';

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
    const [newest] = await this.#page('end', 1, signal);
    return newest?.position.commit ?? 0n;
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
    const seen = this.#seen.get(key);
    let newest: Position | undefined;
    let before: LogPosition | 'end' = 'end';
    for (let size = firstPage; ; size = Math.min(size * 4, maxPage)) {
      const page = await this.#page(before, size);
      newest ??= page[0]?.position.commit ?? 0n;
      // A log that is shorter than it was is another log.
      const known = seen && newest >= seen.newest ? seen : undefined;
      const head = findHead(page, prefixes, known) ?? (page.length < size ? 0n : undefined);
      if (head !== undefined) return this.#remember(key, { newest, head });
      before = page.at(-1)?.position ?? 'end';
    }
  }

  #page(
    before: LogPosition | 'end',
    size: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredEvent[]> {
    const request = encodeLogPage(before, size);
    return this.#reader.read((client, limits) => collect(client, request, limits), signal);
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
  page: readonly StoredEvent[],
  prefixes: readonly string[],
  known: Seen | undefined,
): Position | undefined {
  for (const { stream, position } of page) {
    if (known && position.commit <= known.newest) return known.head;
    if (bearsOneOf(stream, prefixes)) return position.commit;
  }
  return undefined;
}

export function bearsOneOf(stream: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => stream.startsWith(prefix));
}
