import { sectionBits, sectionOf } from '#views/balances';
import { sha256Hex } from '#shared/signing';

/** The totals of a section of the log, from the views. */
export interface SectionRow {
  /** position / 2^24. */
  readonly section: string;
  /** Hex of SHA-256 over the section's lines (`lineOf`), sorted and joined by LF. */
  readonly digest: string;
}

/** One row per section. Postgres reads the accounts of one section at a time, so memory does not grow with the log. */
export const selectSections = `
  select section::text,
    encode(sha256(convert_to(string_agg(line, E'\\n' order by line collate "C"), 'UTF8')), 'hex') as digest
  from (
    select section, concat_ws(E'\\t', mode, currency, account, credits_minor, debits_minor, entries) as line
    from ledger_sections
  ) lines
  group by section`;

/** An account's sums of legs: credits and debits separately, both positive. */
export interface SectionSums {
  credits: bigint;
  debits: bigint;
  entries: bigint;
}

/** @param sums by mode, currency and account, joined by tabs */
export function sectionDigest(sums: ReadonlyMap<string, SectionSums>): string {
  const lines = [...sums].map(([account, { credits, debits, entries }]) =>
    [account, credits, debits, entries].join('\t'),
  );
  return sha256Hex(Buffer.from(lines.sort().join('\n')));
}

interface Sections {
  readonly stored: readonly SectionRow[];
  /** Sections that end after this position are not compared. If undefined, all are compared. */
  readonly wholeUpTo: bigint | undefined;
  readonly onFault: (tells: string) => void;
}

/** Compares the sections of the log with those that the views store. Memory: one entry per section. */
export class SectionComparison {
  readonly #stored: Map<bigint, string>;
  #section = 0n;
  #sums = new Map<string, SectionSums>();

  constructor(private readonly of: Sections) {
    this.#stored = new Map(of.stored.map(({ section, digest }) => [BigInt(section), digest]));
  }

  /**
   * Adds a leg; call it in the order of the log.
   * @param account mode, currency and account, joined by tabs
   */
  posted(position: bigint, account: string, amountMinor: bigint): void {
    const section = sectionOf(position);
    if (section !== this.#section) this.#end(section);
    let sums = this.#sums.get(account);
    if (!sums) this.#sums.set(account, (sums = { credits: 0n, debits: 0n, entries: 0n }));
    if (amountMinor >= 0n) sums.credits += amountMinor;
    else sums.debits -= amountMinor;
    sums.entries += 1n;
  }

  finish(): void {
    this.#end(this.#section);
    for (const section of this.#stored.keys()) this.#compare(section, undefined);
  }

  #end(next: bigint): void {
    if (this.#sums.size > 0) this.#compare(this.#section, sectionDigest(this.#sums));
    this.#sums = new Map();
    this.#section = next;
  }

  #compare(section: bigint, digest: string | undefined): void {
    const found = this.#stored.get(section);
    this.#stored.delete(section);
    const { wholeUpTo } = this.of;
    if (wholeUpTo !== undefined && section >= sectionOf(wholeUpTo + 1n)) return;
    if (found === digest) return;
    const from = section << sectionBits;
    const to = ((section + 1n) << sectionBits) - 1n;
    this.of.onFault(`the sums of positions ${from} to ${to} are not those that the log gives`);
  }
}
