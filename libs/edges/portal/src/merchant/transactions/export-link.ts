import { html, type Html } from '#shared/html';
import { icon } from '../../page/icons.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { type ListQuery, searchOf } from './list-query.js';

/** An export of the list as it is filtered. */
export interface Export {
  readonly place: Pick<Place, 'base'>;
  readonly query: ListQuery;
  /** The number of rows of the file; undefined if the figures of days do not know it. */
  readonly rows: bigint | undefined;
}

/** The link that downloads the file. If the number of rows is known, a script shows how far it is (POR-117). */
export function exportLink({ place, query, rows }: Export, { list }: MerchantTexts): Html {
  const { before: _before, ...filters } = query;
  const search = searchOf(filters);
  const address = `${place.base}/transactions/export.csv${search === '' ? '' : `?${search}`}`;
  return html`<a
    class="button secondary"
    href="${address}"
    download
    ${rows === undefined ? undefined : html` data-rows="${rows.toString()}"`}
    >${icon('export')} ${list.export}</a
  >`;
}

/** The line that shows how far an export is. It is hidden until a script needs it. */
export function exportProgress({ list }: MerchantTexts): Html {
  const { progress } = list;
  return html`<div
    class="export"
    id="export"
    hidden
    data-starts="${progress.starts}"
    data-count="${progress.count}"
    data-done="${progress.done}"
    data-cancelled="${progress.cancelled}"
    data-failed="${progress.failed}"
  >
    <p role="status" data-part="said"></p>
    <span data-part="count"></span>
    <progress data-part="bar" aria-label="${progress.starts}"></progress>
    <button type="button" class="secondary" data-part="cancel">${progress.cancel}</button>
  </div>`;
}
