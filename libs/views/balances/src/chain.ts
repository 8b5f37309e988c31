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

/** The accounts' last links before a batch. They are read once, at the same time as the batch's other rows. */
export class StoredLinks {
  readonly #last: LastLinks = new Map();
  readonly #known = new Set<string>();

  /** @param remembered links that need not be read, null if an account has none; `link` adds the new ones */
  constructor(
    private readonly transaction: Queryable,
    private readonly remembered?: Remembered<Uint8Array | null>,
  ) {}

  /** Reads the links of the events' accounts, except for postings that do not name their currency: `link` reads those. */
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

/** Entries per page; a page is one transaction. */
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
 * Links a page of entries, in log order, that were written while an earlier event was quarantined. No event may be
 * quarantined any more.
 * @returns true if none is left
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

// The index serves only the condition by position. Without it, Postgres passes all later entries of the account.
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

/** The links of the postings at these positions, leg by leg. Postings that the views lack or have not linked are left out. */
export function findLinks(
  database: Queryable,
  positions: readonly bigint[],
): Promise<readonly LegLink[]> {
  return positions.length === 0
    ? Promise.resolve([])
    : database.query<LegLink>(selectLegs, [positions]);
}
