import { hash } from 'node:crypto';
import { leafHash, leafText, type LegsPlace, linkHash, postingOf } from '#domain/audit';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, type Mode } from '#domain/kernel';
import { type LedgerAccount } from '#domain/ledger';

/** One leg of one event in the ledger. */
export interface LedgerEntry {
  readonly position: bigint;
  readonly leg: number;
  readonly event_id: string;
  readonly stream: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly account: LedgerAccount;
  readonly amount_minor: bigint;
  readonly recorded_at: Instant;
  /** The posting's leaf, at its first leg only; as Postgres writes bytes. */
  readonly leaf: string | null;
  readonly link: string | null;
}

/** @param place undefined if the event has no legs */
export function entriesOf(event: RecordedEvent, place: LegsPlace | undefined): LedgerEntry[] {
  const posting = place && postingOf(event, place);
  if (!posting) return [];
  const leaf = bytea(leafHash(sha256, leafText(posting)));
  return posting.legs.map(({ account, amountMinor }, leg) => ({
    position: event.position,
    leg,
    event_id: event.id,
    stream: event.stream,
    mode: posting.mode,
    currency: posting.currency,
    account,
    amount_minor: amountMinor,
    recorded_at: event.recordedAt,
    leaf: leg === 0 ? leaf : null,
    link: null,
  }));
}

function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Bytes as Postgres writes and reads them. */
function bytea(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

export type AccountOfLedger = Pick<LedgerEntry, 'mode' | 'currency' | 'account'>;

export function accountKey({ mode, currency, account }: AccountOfLedger): string {
  return `${mode}:${currency}:${account}`;
}

/** The fields that determine an entry's link. */
export type Linkable = AccountOfLedger &
  Pick<LedgerEntry, 'position' | 'amount_minor' | 'leaf' | 'link'>;

/** The last link of each account; an account without links has no entry. */
export type LastLinks = Map<string, Uint8Array>;

/**
 * Gives each entry its link (AUD-6), for new and for stored entries.
 * @param entries whole postings in log order
 * @param last the links of the accounts before the entries; it is updated
 */
export function withLinks<Entry extends Linkable>(
  entries: readonly Entry[],
  last: LastLinks,
): Entry[] {
  let leaf: Uint8Array | undefined;
  return entries.map((entry) => {
    if (entry.leaf !== null) leaf = bytesOf(entry.leaf);
    if (!leaf) throw new TypeError(`the posting at position ${entry.position} has no leaf`);
    const key = accountKey(entry);
    const leg = { account: entry.account, amountMinor: entry.amount_minor };
    const link = linkHash(sha256, last.get(key), leaf, leg);
    last.set(key, link);
    return { ...entry, link: bytea(link) };
  });
}
