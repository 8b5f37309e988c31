import { daysBefore } from '#infra/runtime';
import { html, type Html } from '#shared/html';
import { shortDay, type WallClock } from '../../page/list-parts.js';
import { emptyAction, emptyState, moneyText } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type ListQuery } from './list-query.js';
import {
  filtersSet,
  listAddress,
  type TransactionsModel,
  withoutFilters,
} from './transactions-model.js';

/**
 * The message of a list without rows. With days and no other filter it is a figure: someone who asked for the total of
 * yesterday reads that it is zero.
 */
export function emptyList(model: TransactionsModel, { list }: MerchantTexts): Html {
  const { place, read, clock } = model;
  const { query } = read;
  const set = filtersSet(query);
  if (set.length === 0) {
    if (query.attention)
      return emptyState(
        list.noAttention.text,
        html`${list.noAttention.todo}
        ${emptyAction(`${place.base}/transactions`, list.noAttention.link)}`,
        'good',
      );
    return emptyState(
      list.none.text,
      html`${list.none.todo} ${emptyAction('/docs/quick-start', list.none.link)}`,
    );
  }
  const clear = html`<span class="do"
    ><a class="button secondary" href="${listAddress(place, withoutFilters(query))}"
      >${list.clear}</a
    ></span
  >`;
  const isOfDays = set.every((name) => name === 'from' || name === 'to') && !query.attention;
  if (!isOfDays) return emptyState(list.empty.text, html`${list.empty.todo} ${clear}`);
  const currencies = [...new Set(place.accounts.map(({ currency }) => currency))];
  const zero = currencies.map((currency) => moneyText(0n, currency)).join(', ');
  return emptyState(
    query.type === 'payout' ? list.zeroPaidOut(zero) : list.zeroCollected(zero),
    html`${list.noneOn(daysInWords(query, clock, list))} ${clear}`,
  );
}

/** The days of a filter: `Yesterday, 27 Nov`, or `1 Nov – 7 Nov`. */
export function daysInWords(
  { from, to }: Pick<ListQuery, 'from' | 'to'>,
  clock: WallClock,
  { presets, since, until }: MerchantTexts['list'],
): string {
  const { today } = clock;
  if (from === undefined) return to === undefined ? '' : until(shortDay(to, clock));
  const first = shortDay(from, clock);
  if (to === undefined) return since(first);
  if (from !== to) return `${first} – ${shortDay(to, clock)}`;
  if (from === today) return `${presets.today}, ${first}`;
  return from === daysBefore(today, 1) ? `${presets.yesterday}, ${first}` : first;
}
