import { type Minor } from '#domain/kernel';
import { type SavedView } from '#records/people';
import { type Balance } from '#views/balances';
import { type ListedTransactions, type TransactionItem } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { type WallClock } from '../../page/list-parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { type ListQuery, type ReadQuery, searchOf, type Summed } from './list-query.js';

export interface TransactionsModel {
  readonly place: Place;
  readonly read: ReadQuery;
  /** Undefined if the query is wrong, or the view cannot answer. */
  readonly shown:
    | {
        readonly list: ListedTransactions;
        readonly balances: readonly Balance[];
        /** Sums of everything that the filters match. If absent, the list shows the sums of its page, and says so. */
        readonly totals?: readonly Total[] | undefined;
        /** The number of items that the filters match, whatever their status; undefined if it is not known. */
        readonly rows?: bigint | undefined;
      }
    | undefined;
  readonly views: readonly SavedView[];
  readonly clock: WallClock;
}

/** The sum of the items of a type, a status and a currency. */
export interface Total extends Pick<TransactionItem, 'type' | 'currency'> {
  readonly status: Summed;
  readonly count: number;
  readonly amountMinor: Minor;
}

export interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export function listAddress({ base }: Pick<Place, 'base'>, query: ListQuery): string {
  const search = searchOf(query);
  return `${base}/transactions${search === '' ? '' : `?${search}`}`;
}

/** The filters beside the tabs that are set. */
export function filtersSet(query: ListQuery): readonly string[] {
  const { type: _type, attention: _attention, before: _before, ...filters } = query;
  const { dateField: _dateField, ...set } = filters;
  return Object.keys(set);
}

/** The list of the same tab, without filters. */
export function withoutFilters({ type, attention }: ListQuery): ListQuery {
  return {
    dateField: 'created_at',
    ...(type === undefined ? {} : { type }),
    ...(attention === undefined ? {} : { attention }),
  };
}

/** Returns the items that the totals of a filter sum up. */
export function summedOf({ status, attention }: Pick<ListQuery, 'status' | 'attention'>): Summed {
  return status ?? (attention ? 'needs_attention' : 'completed');
}

/** The sums of listed items by type and currency, of the items that the filter's totals sum up. */
export function totalsOf(
  items: readonly TransactionItem[],
  query: Pick<ListQuery, 'status' | 'attention'>,
): readonly Total[] {
  const status = summedOf(query);
  const totals = new Map<string, Total>();
  for (const { type, currency, status: own, amount_minor } of items) {
    if (status !== 'needs_attention' && own !== status) continue;
    const key = `${type} ${currency}`;
    const { count, amountMinor } = totals.get(key) ?? { count: 0, amountMinor: 0n };
    const sum = { count: count + 1, amountMinor: amountMinor + amount_minor };
    totals.set(key, { type, status, currency, ...sum });
  }
  return [...totals.values()];
}
