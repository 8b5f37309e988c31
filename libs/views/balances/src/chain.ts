import { isPosting } from '#domain/audit';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { partitionOf, recordset, type Remembered } from '#views/view-set';
import {
  accountKey,
  type AccountOfLedger,
  type LastLinks,
  type LedgerEntry,
  type Linkable,
  withLinks,
} from './ledger-entry.js';

const selectLinks = {
  name: 'balances-links',
  text: `
  select b.mode, b.currency, b.account, b.link
  from unnest($1::text[], $2::text[], $3::text[]) as asked (mode, currency, account)
  join balances b using (mode, currency, account)
  where b.link is not null`,
};

/** The accounts' last links as a batch finds them: read once, beside what else the batch reads. */
export class StoredLinks {
  readonly #last: LastLinks = new Map();
  readonly #known = new Set<string>();

  /** @param remembered those that need not be read, null where an account has none; `link` tells it of the new ones */
  constructor(
    private readonly transaction: Queryable,
    private readonly remembered?: Remembered<Uint8Array | null>,
  ) {}

  /** Reads those of the events' accounts; a posting that does not name its currency is left to `link`. */
  async expect(events: readonly RecordedEvent[]): Promise<void> {
    await this.#read(events.flatMap(accountsOf));
  }

  /** @param entries whole postings, in log order */
  async link<Entry extends Linkable>(entries: readonly Entry[]): Promise<readonly Entry[]> {
    await this.#read(entries);
    const linked = withLinks(entries, this.#last);
    if (this.remembered)
      for (const key of this.#known) this.remembered.set(key, this.#last.get(key) ?? null);
    return linked;
  }

  async #read(accounts: readonly AccountOfLedger[]): Promise<void> {
    const asked = new Map<string, AccountOfLedger>();
    for (const account of accounts) {
      const key = accountKey(account);
      if (this.#known.has(key)) continue;
      const link = this.remembered?.get(key);
      if (link === undefined) asked.set(key, account);
      else {
        this.#known.add(key);
        if (link !== null) this.#last.set(key, link);
      }
    }
    if (asked.size === 0) return;
    const wanted = [...asked.values()];
    const rows = await this.transaction.query<AccountOfLedger & { readonly link: Buffer }>(
      selectLinks,
      [
        wanted.map(({ mode }) => mode),
        wanted.map(({ currency }) => currency),
        wanted.map(({ account }) => account),
      ],
    );
    for (const key of asked.keys()) this.#known.add(key);
    for (const row of rows) this.#last.set(accountKey(row), row.link);
  }
}

function accountsOf(event: RecordedEvent): AccountOfLedger[] {
  if (!isPosting(event) || !('currency' in event.data)) return [];
  const { currency } = event.data as { readonly currency: string };
  const mode = partitionOf(event)?.scope;
  if (mode === undefined || mode === 'merchant') return [];
  return event.data.legs.map(({ account }) => ({ mode, currency, account }));
}

/** Entries of one page; a page is one transaction. */
const pageEntries = 3000;
const selectUnlinked = `
  select position, leg, mode, currency, account, amount_minor, leaf::text as leaf
  from ledger_entries where link is null order by position, leg limit ${pageEntries}`;
const writeLinks = `
  update ledger_entries e set link = l.link
  from json_populate_recordset(null::ledger_entries, $1) l
  where e.position = l.position and e.leg = l.leg`;
const writeLast = `
  update balances b set link = l.link
  from json_populate_recordset(null::balances, $1) l
  where b.mode = l.mode and b.currency = l.currency and b.account = l.account`;

/**
 * Links entries that were written while an event before them was held back, a page of them in log order. Nothing may be
 * held back any more.
 * @returns whether none is left
 */
export async function linkHeldEntries(transaction: Queryable): Promise<boolean> {
  const page = await transaction.query<Linkable & Pick<LedgerEntry, 'leg'>>(selectUnlinked);
  const isLast = page.length < pageEntries;
  const end = page.at(-1)?.position;
  const whole = isLast ? page : page.filter(({ position }) => position !== end);
  const linked = await new StoredLinks(transaction).link(whole);
  if (linked.length > 0) {
    const last = new Map(linked.map((entry) => [accountKey(entry), entry]));
    await transaction.query(writeLinks, [recordset(linked, ['position', 'leg', 'link'])]);
    const accounts = recordset([...last.values()], ['mode', 'currency', 'account', 'link']);
    await transaction.query(writeLast, [accounts]);
  }
  return isLast;
}

/** A leg's place in its account's chain; hashes are lower-case hex. */
export interface LegLink {
  readonly position: bigint;
  readonly account: string;
  readonly amountMinor: bigint;
  /** Null for the first leg of the account. */
  readonly previous: string | null;
  readonly link: string;
}

// The bound by position alone is what the index is asked for: without it, all later entries of the account are passed.
const selectLegs = {
  name: 'ledger-links',
  text: `
  select e.position, e.account, e.amount_minor as "amountMinor", encode(e.link, 'hex') as link, (
    select encode(p.link, 'hex') from ledger_entries p
    where p.mode = e.mode and p.currency = e.currency and p.account = e.account
      and p.position <= e.position and (p.position < e.position or p.leg < e.leg)
    order by p.position desc, p.leg desc limit 1) as previous
  from ledger_entries e
  where e.position = any($1::bigint[]) and e.link is not null
  order by e.position, e.leg`,
};

/** The links of the postings at these positions, leg by leg; of those that the views hold and have linked. */
export function findLinks(
  database: Queryable,
  positions: readonly bigint[],
): Promise<readonly LegLink[]> {
  return positions.length === 0
    ? Promise.resolve([])
    : database.query<LegLink>(selectLegs, [positions]);
}
