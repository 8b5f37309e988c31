import { html, type Html } from '#shared/html';
import { type OwnCredential } from '#views/merchants';
import { type Viewer } from '../../access/viewer.js';
import { foldedFilters, shortTime, type WallClock } from '../../page/list-parts.js';
import { listTable } from '../../page/list-table.js';
import {
  emptyState,
  field,
  form,
  hidden,
  nextPage,
  shortId,
  statusMark,
} from '../../page/parts.js';
import { type Place } from '../place.js';
import { type CallsCount, type ListedCall } from '#records/credentials';
import { type MerchantTexts } from '../merchant-texts.js';
import { callsAddress, type CallsQuery, statusClasses } from './calls-query.js';
import { countText } from '../../text/count-text.js';

export interface RequestsModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly credentials: readonly OwnCredential[];
  readonly query: CallsQuery;
  readonly calls: readonly ListedCall[];
  /** The number of calls that the filters match, on all pages. */
  readonly count: CallsCount;
  /** The start of the next page. */
  readonly next: bigint | undefined;
}

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** The page of calls of the merchant's systems. Each code leads to its meaning in the API reference. */
export function requestsPage(model: RequestsModel, frame: Frame): Html {
  const { place, query, next } = model;
  const { requests: words, common } = frame.texts;
  const follows =
    next === undefined ? undefined : callsAddress(place.base, { ...query, before: next });
  return html`${tabsOf(model, words)}
    <p class="soft">${query.onlyRefused ? words.errorsIntro : words.intro}</p>
    ${filters(model, frame)} ${callsTable(model, words)} ${nextPage(follows, common.next)}
    <p class="soft"><small>${common.zone(place.timezone)}</small></p>`;
}

/** The tabs keep the filters, except a status that the errors never have. */
function tabsOf({ place, query }: RequestsModel, words: MerchantTexts['requests']): Html {
  const { before: _before, ...kept } = query;
  const tab = (text: string, onlyRefused: boolean): Html =>
    html`<li>
      <a
        href="${callsAddress(place.base, { ...kept, onlyRefused })}"
        ${onlyRefused === query.onlyRefused ? html` aria-current="page"` : undefined}
        >${text}</a
      >
    </li>`;
  return html`<ul class="tabs">
    ${tab(words.tabs.all, false)} ${tab(words.tabs.errors, true)}
  </ul>`;
}

function filters({ place, query, credentials }: RequestsModel, { viewer, texts }: Frame): Html {
  const { requests: words, common } = texts;
  const any = [['', common.any]] as const;
  const classes = statusClasses.filter((one) => !query.onlyRefused || one !== 2);
  const set = [query.statusClass, query.credentialId, query.text].filter(
    (one) => one !== undefined,
  ).length;
  const fields = form(viewer, {
    action: `${place.base}/requests`,
    method: 'get',
    isRow: true,
    look: 'secondary',
    submit: common.show,
    fields: [
      ...(query.onlyRefused ? [hidden('tab', 'errors')] : []),
      field({
        name: 'status',
        label: words.status,
        value: query.statusClass?.toString(),
        options: [...any, ...classes.map((one) => [String(one), words.classes[one]] as const)],
      }),
      field({
        name: 'client',
        label: words.credential,
        value: query.credentialId,
        options: [
          ...any,
          ...credentials.map(({ credentialId, name }) => [credentialId, name] as const),
        ],
      }),
      field({
        name: 'text',
        label: words.text,
        type: 'search',
        value: query.text,
        maxLength: 200,
      }),
    ],
  });
  return html`<div class="filters">${foldedFilters(fields, { label: words.filters, set })}</div>`;
}

/** The list of calls. On a phone a row is a card of two lines: the call and its status, then time, code and request. */
function callsTable(model: RequestsModel, words: MerchantTexts['requests']): Html {
  const { clock, credentials, query, calls, count } = model;
  if (calls.length === 0) return emptyCalls(model, words);
  const names = new Map(credentials.map(({ credentialId, name }) => [credentialId, name]));
  const columns = [
    { text: words.time, style: 'when' },
    { text: words.call, style: 'ref', isHeading: true },
    { text: words.status, style: 'status' },
    { text: words.code, style: 'code' },
    { text: words.duration, style: 'number took' },
    { text: words.credential, style: 'client' },
    { text: words.requestId, style: 'request' },
  ] as const;
  return listTable({
    caption: query.onlyRefused ? words.errorsCaption : words.caption,
    look: 'calls',
    columns,
    rows: calls.map((of) => [
      shortTime(of.at, clock),
      html`<code>${of.method} ${of.target ?? of.route}</code>`,
      statusMark('status', String(of.status), of.code === null ? 'good' : 'bad'),
      of.code === null
        ? undefined
        : html`<a class="error-code" href="/docs/errors#${of.code}"><code>${of.code}</code></a>`,
      of.durationMs === null ? undefined : `${of.durationMs} ms`,
      names.get(of.credentialId),
      shortId(of.requestId),
    ]),
    foot: html`<tr role="row">
      <th scope="row" role="rowheader" colspan="${columns.length}">
        ${totalWords(count, query.onlyRefused, words)}
      </th>
    </tr>`,
  });
}

/** The number of matching calls in words. The errors are all refused, so their total names one number. */
function totalWords(
  { calls, refused, hasMore }: CallsCount,
  onlyRefused: boolean,
  { totals }: MerchantTexts['requests'],
): string {
  const number = countText(calls);
  if (onlyRefused) return hasMore ? totals.moreErrors(number) : totals.errors(number);
  const of = hasMore ? totals.newestCalls(number) : totals.calls(number);
  return `${of} · ${totals.errors(countText(refused))}`;
}

function emptyCalls({ query, place }: RequestsModel, words: MerchantTexts['requests']): Html {
  const { onlyRefused, ...others } = query;
  if (Object.keys(others).length === 0) return noCalls(onlyRefused, words);
  const all = callsAddress(place.base, { onlyRefused });
  return emptyState(
    words.noMatch,
    html`<a class="button secondary" href="${all}">${words.clear}</a>`,
    'search',
  );
}

/** An empty list. Without errors all is well. */
function noCalls(onlyRefused: boolean, words: MerchantTexts['requests']): Html {
  const link = (href: string, text: string): Html =>
    html`<a class="button secondary" href="${href}">${text}</a>`;
  return onlyRefused
    ? emptyState(words.noErrors, link('/docs/errors', words.meanings), 'good')
    : emptyState(words.noCalls, link('/docs', words.reference), 'debugger');
}
