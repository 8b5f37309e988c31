import { type Instant } from '#domain/kernel';
import { type LossesListed, type LossKind, type LossSummary } from './losses.events.js';

/** Returns the lower-case hex SHA-256 of a text. */
export type Sha256Hex = (text: string) => string;

/** A row that an event names and that the records lack. */
export interface Loss {
  readonly kind: LossKind;
  readonly id: string;
  /** The event that names it. */
  readonly position: bigint;
  /** The last event of the same append, which names it too; absent if it is the only one. */
  readonly lastPosition?: bigint;
  readonly recordedAt: Instant;
}

/** Part of a list: the data of one event. */
export type LossChunk = LossesListed['data'];

/** One event has some 80 KB, far below the store's limit of 1 MiB. */
export const maxIdsInChunk = 2000;

/** The digest of an empty list. */
export const emptyDigest = '';

/** Returns the digest of a list that continues with this part (AUD-33). */
export function digestWith(sha256Hex: Sha256Hex, digest: string, chunk: LossChunk): string {
  return sha256Hex([digest, chunk.kind, ...chunk.ids, ''].join('\n'));
}

interface Range {
  readonly min: bigint;
  readonly max: bigint;
  readonly from: Instant;
  readonly to: Instant;
}

/** Makes the parts of a list from losses in the order of the log. Memory: two parts of each kind. */
export class LossCollector {
  private digest = emptyDigest;
  private readonly counts = { messages: 0, claims: 0 };
  private readonly open: Record<LossKind, Set<string>> = { messages: new Set(), claims: new Set() };
  /** The part before: events of one message are close together, so an id is listed once. */
  private readonly former: Record<LossKind, ReadonlySet<string>> = {
    messages: new Set(),
    claims: new Set(),
  };
  private range: Range | undefined;

  constructor(private readonly sha256Hex: Sha256Hex) {}

  /** @returns a part that is complete */
  add({ kind, id, position, lastPosition = position, recordedAt }: Loss): LossChunk | undefined {
    this.widen(position, recordedAt);
    this.widen(lastPosition, recordedAt);
    if (this.open[kind].has(id) || this.former[kind].has(id)) return undefined;
    this.open[kind].add(id);
    this.counts[kind] += 1;
    return this.open[kind].size < maxIdsInChunk ? undefined : this.close(kind);
  }

  /** Returns the last parts. */
  finish(): readonly LossChunk[] {
    return (['messages', 'claims'] as const)
      .filter((kind) => this.open[kind].size > 0)
      .map((kind) => this.close(kind));
  }

  /** The extent of the whole list, after `finish`; undefined if nothing was added. */
  get summary(): LossSummary | undefined {
    if (!this.range) return undefined;
    const { min, max, from, to } = this.range;
    const positions = { fromPosition: min.toString(), toPosition: max.toString() };
    return { ...this.counts, ...positions, from, to, digest: this.digest };
  }

  private close(kind: LossKind): LossChunk {
    const chunk = { kind, ids: [...this.open[kind]].sort() };
    this.digest = digestWith(this.sha256Hex, this.digest, chunk);
    this.former[kind] = this.open[kind];
    this.open[kind] = new Set();
    return chunk;
  }

  private widen(position: bigint, at: Instant): void {
    const { min, max, from, to } = this.range ?? { min: position, max: position, from: at, to: at };
    const [isFirst, isLast] = [position < min, position > max];
    this.range = {
      min: isFirst ? position : min,
      max: isLast ? position : max,
      from: isFirst ? at : from,
      to: isLast ? at : to,
    };
  }
}
