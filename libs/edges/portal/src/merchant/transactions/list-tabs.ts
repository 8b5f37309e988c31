import { html, type Html } from '#shared/html';
import { tabLink } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type ListQuery, searchOf, withoutStart } from './list-query.js';
import { type Frame, listAddress, type TransactionsModel } from './transactions-model.js';

type Narrowed = Pick<ListQuery, 'type' | 'status' | 'attention'>;

/** The tabs are filters of the list itself, so each is an address. */
const tabs = [
  ['all', {}],
  ['collections', { type: 'collection' }],
  ['payouts', { type: 'payout' }],
  ['needsAttention', { attention: true }],
  ['failed', { status: 'failed' }],
] as const satisfies readonly (readonly [keyof MerchantTexts['list']['tabs'], Narrowed])[];

/** The tabs, and the viewer's saved views beside them. */
export function listTabs(model: TransactionsModel, frame: Frame): Html {
  const { place, read, views } = model;
  const { list } = frame.texts;
  const { type, status, attention, batch: _batch, ...kept } = withoutStart(read.query);
  const here = searchOf(withoutStart(read.query));
  const view = views.find(({ query }) => query === here && here !== '');
  const current = view ? undefined : currentTab({ type, status, attention });
  const tab = (name: keyof typeof list.tabs, narrowed: Narrowed): Html =>
    tabLink(list.tabs[name], listAddress(place, { ...kept, ...narrowed }), name === current);
  return html`<div class="tab-row" id="type">
    <ul class="tabs">
      ${tabs.map(([name, narrowed]) => tab(name, narrowed))}
      ${views.map(({ name, query }) => tabLink(name, `${place.base}/transactions?${query}`, name === view?.name))}
    </ul>
  </div>`;
}

/** A status within a type is a filter of that type's tab. */
function currentTab({
  type,
  status,
  attention,
}: {
  readonly [Name in keyof Narrowed]-?: Narrowed[Name] | undefined;
}): keyof MerchantTexts['list']['tabs'] {
  if (attention) return 'needsAttention';
  if (type === 'collection') return 'collections';
  if (type === 'payout') return 'payouts';
  return status === 'failed' ? 'failed' : 'all';
}
