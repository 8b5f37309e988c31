import { html, type Html } from '#shared/html';
import { icon } from '../../page/icons.js';
import { field, form, hidden } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type ListQuery, searchOf } from './list-query.js';
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

/** The tabs, the viewer's saved views beside them, and the form that saves the list as it is. */
export function listTabs(model: TransactionsModel, frame: Frame): Html {
  const { place, read, views } = model;
  const { list } = frame.texts;
  const { type, status, attention, batch: _batch, ...kept } = withoutStart(read.query);
  const here = searchOf(withoutStart(read.query));
  const view = views.find(({ query }) => query === here && here !== '');
  const current = view ? undefined : currentTab({ type, status, attention });
  const tab = (name: keyof typeof list.tabs, narrowed: Narrowed): Html =>
    link(list.tabs[name], listAddress(place, { ...kept, ...narrowed }), name === current);
  return html`<div class="tab-row" id="type">
    <ul class="tabs">
      ${tabs.map(([name, narrowed]) => tab(name, narrowed))}
      ${views.map(({ name, query }) => link(name, `${place.base}/transactions?${query}`, name === view?.name))}
    </ul>
    ${saveView(model, frame)}
  </div>`;
}

function withoutStart({ before: _before, ...query }: ListQuery): ListQuery {
  return query;
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

function link(text: string, href: string, isCurrent: boolean): Html {
  return html`<li>
    <a href="${href}" ${isCurrent ? html` aria-current="page"` : undefined}>${text}</a>
  </li>`;
}

/** Most characters of a saved view's name. */
export const maxNameLength = 60;

function saveView({ place, read, views }: TransactionsModel, { viewer, texts }: Frame): Html {
  const words = texts.list.views;
  const address = `${place.base}/transactions`;
  return html`<details class="chip">
    <summary>${words.keep} ${icon('down')}</summary>
    <div>
      ${
        views.length === 0
          ? html`<p>${words.empty}</p>`
          : html`<p><b>${words.title}</b></p>
              <ul class="views">
                ${views.map(
                  ({ name }) =>
                    html`<li>
                      <span>${name}</span>
                      ${form(viewer, {
                        action: `${address}/views/drop`,
                        submit: words.drop(name),
                        look: 'plain',
                        fields: [hidden('name', name)],
                      })}
                    </li>`,
                )}
              </ul>`
      }
      ${form(viewer, {
        action: `${address}/views`,
        submit: words.keep,
        fields: [
          field({ name: 'name', label: words.name, isRequired: true, maxLength: maxNameLength }),
          hidden('query', searchOf(withoutStart(read.query))),
        ],
      })}
    </div>
  </details>`;
}
