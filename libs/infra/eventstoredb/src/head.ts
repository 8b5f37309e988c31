import { type Position } from '#domain/event-sourcing';
import { collect } from './collect.js';
import { type Reader } from './reader.js';
import { encodeLogPage } from './wire/read-request.js';
import { type StoredEvent } from './wire/read-response.js';
import { type LogPosition } from './wire/shared-messages.js';

/** Usually the newest event is ours. If not, the search reads fewer and longer pages. */
const firstPage = 16;
const maxPage = 512;

/** The result of an earlier search, so that the next one reads only newer events. */
interface Seen {
  /** Position of the log's newest event at that time, ours or not. */
  readonly newest: Position;
  /** The answer at that time. */
  readonly head: Position;
}

/**
 * Finds the newest event whose stream has one of the prefixes, by reading `$all` backwards: the server does not filter
 * reads. Foreign events after our newest one are read once, not at every call.
 */
export class HeadFinder {
  readonly #reader: Reader;
  readonly #seen = new Map<string, Seen>();
  /** The first searches under way; the others use their results. */
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
    // A search that began before the question does not answer it: it may miss events that the caller has written since.
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
      // A log that has become shorter is another log.
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
    // Callers use one or two sets of prefixes; a growing map would be a mistake.
    if (this.#seen.size >= 16) this.#seen.clear();
    this.#seen.set(key, seen);
    return seen.head;
  }
}

/** The page's newest matching event, or the earlier answer if the page reaches the events of that search. */
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
