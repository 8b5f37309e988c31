import { html, type Html } from '#shared/html';
import { icon } from '../../page/icons.js';
import { field, form, hidden } from '../../page/parts.js';
import { searchOf, withoutStart } from './list-query.js';
import { type Frame, type TransactionsModel } from './transactions-model.js';

/** Most characters of a saved view's name. */
export const maxNameLength = 60;

/** The form that saves the filters under a name, below the views that can be deleted. */
export function saveView(
  { place, read, views }: TransactionsModel,
  { viewer, texts }: Frame,
): Html {
  const words = texts.list.views;
  const address = `${place.base}/transactions`;
  return html`<details class="chip save">
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
