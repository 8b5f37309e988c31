/**
 * A map with room for millions of entries. V8 copies all entries of a Map whenever it doubles, and stands still for a
 * quarter of a second at half a million. Here they are split by the end of their keys, so that each copy is short.
 */
export class SplitMap<Value> {
  private readonly parts = new Map<string, Map<string, Value>>();

  get size(): number {
    return this.parts.values().reduce((sum, part) => sum + part.size, 0);
  }

  has(key: string): boolean {
    return this.parts.get(partOf(key))?.has(key) ?? false;
  }

  get(key: string): Value | undefined {
    return this.parts.get(partOf(key))?.get(key);
  }

  set(key: string, value: Value): void {
    const name = partOf(key);
    const part = this.parts.get(name);
    if (part === undefined) this.parts.set(name, new Map([[key, value]]));
    else part.set(key, value);
  }

  /** All entries, in no particular order. */
  *entries(): Generator<[string, Value]> {
    for (const part of this.parts.values()) yield* part;
  }
}

/** Ids and receipts end in random characters: a hundred parts by digits, 1,296 by digits and capitals. */
function partOf(key: string): string {
  return key.slice(-2);
}
