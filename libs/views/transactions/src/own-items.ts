import { collectionStream } from '#domain/collections';
import { payoutStream } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';
import {
  phonesOf,
  rowFromDatabase,
  type StoredTransaction,
  type TransactionItem,
} from './fields.js';
import { type TransactionsPage } from './page-parts.js';
import { receiptForms } from './receipt-forms.js';
import { itemsOf, type PageStatement } from './query.js';

/** Most items that one search shows. */
export const maxFound = 20;

/**
 * Most items of one number that a search reads, of all merchants. A customer has far fewer; a number that everybody
 * tests with has more.
 */
const maxOfNumber = 10_000;

/** The items of a search: at most `maxFound`, newest first. */
export interface FoundItems {
  readonly items: readonly TransactionItem[];
  /** The masked number of each item's customer by the item's id. */
  readonly phones: ReadonlyMap<string, string>;
  /** True if more items match. */
  readonly hasMore: boolean;
}

/** A search of a merchant's own items of a mode. */
export type OwnSearch =
  /** The whole reference, or the whole receipt. A receipt in capitals is found in any case. */
  | { readonly word: string }
  /** The beginning of the reference, in the case of its letters. */
  | { readonly beginning: string }
  /** The keyed digest of the customer's number (EVT-29). */
  | { readonly phoneHmac: string };

type Owner = Pick<TransactionsPage, 'merchantId' | 'mode'>;

const searchOf = (
  name: string,
  positions: string,
  order: string,
): Omit<PageStatement, 'values'> => ({
  name,
  text: `
  with found as (${positions})
  select ${ownServability({ merchant: '$1', mode: '$2' })}, own.*
  from checkpoint c
  left join lateral (
    select t.* from found join transactions t using (position)
    where t.merchant_id = $1 and t.mode = $2
    order by ${order} limit ${maxFound + 1}
  ) own on true
  order by own.${order.replace('t.', '')}`,
});

const newestFirst = 't.position desc';

const byWord = searchOf(
  'own-items',
  `
    select position from transactions where stream = any($3::text[])
    union
    select position from receipts where mode = $2 and receipt = any($4::text[])`,
  newestFirst,
);

// Streams sort by code point, so the key of streams has those with one beginning side by side. They are read in its
// order: the newest of them would cost a sort of all.
const byBeginning = searchOf(
  'own-items-by-beginning',
  [
    ['3', '4'],
    ['5', '6'],
  ]
    .map(
      ([from = '', to = '']) => `
    (select position from transactions
    where stream >= $${from} and stream < $${to} and starts_with(stream, $${from})
    order by stream limit ${maxFound + 1})`,
    )
    .join(' union all '),
  't.reference',
);

// The index covers only the beginning of the digest.
const byPhone = searchOf(
  'own-items-by-phone',
  `
    select position from (
      select position, merchant_id, mode, phone_hmac from transactions
      where left(phone_hmac, 7) = left($3, 7) and phone_hmac = $3
      order by position desc limit ${maxOfNumber}
    ) of_number
    where merchant_id = $1 and mode = $2`,
  newestFirst,
);

/** The statement of a search. Each is bounded, whatever the merchant's history is. */
export function ownSearchStatement({ merchantId, mode }: Owner, search: OwnSearch): PageStatement {
  const whose = [merchantId, mode];
  if ('phoneHmac' in search) return { ...byPhone, values: [...whose, search.phoneHmac] };
  const reference = 'word' in search ? search.word : search.beginning;
  const key = { merchantId, mode, reference };
  const streams = [collectionStream(key), payoutStream(key)];
  if ('word' in search)
    return { ...byWord, values: [...whose, streams, receiptForms(search.word)] };
  return { ...byBeginning, values: [...whose, ...streams.flatMap((from) => [from, after(from)])] };
}

/** The first text after all that begin with this one. References are ASCII, so its last character has a successor. */
function after(beginning: string): string {
  const last = beginning.length - 1;
  return beginning.slice(0, last) + String.fromCharCode(beginning.charCodeAt(last) + 1);
}

type Row = OwnServability & (StoredTransaction | { readonly position: null });

/**
 * A merchant's own collections and payouts of a mode that a search finds.
 * @throws DependencyUnavailable
 */
export async function findOwnItems(
  database: Queryable,
  owner: Owner,
  search: OwnSearch,
  bound: ReadBound,
): Promise<FoundItems> {
  const { values, ...statement } = ownSearchStatement(owner, search);
  const rows = await database.query<Row>(statement, values);
  requireOwnServable(rows[0], bound);
  const found = rows.filter((row) => row.position !== null).map(rowFromDatabase);
  const shown = found.slice(0, maxFound);
  return {
    items: await itemsOf(database, shown),
    phones: phonesOf(shown),
    hasMore: found.length > maxFound,
  };
}
