import { html, type Html } from '#shared/html';
import { type OwnCredential } from '#views/merchants';
import { type Viewer } from '../../access/viewer.js';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import {
  emptyState,
  field,
  form,
  hidden,
  nextPage,
  shortId,
  statusMark,
  table,
} from '../../page/parts.js';
import { type Place } from '../place.js';
import { type ListedCall } from '#records/credentials';
import { type MerchantTexts } from '../merchant-texts.js';
import { callsAddress, type CallsQuery, statusClasses } from './calls-query.js';

export interface RequestsModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly credentials: readonly OwnCredential[];
  readonly query: CallsQuery;
  readonly calls: readonly ListedCall[];
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
  return html`<div class="filters">
    ${form(viewer, {
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
    })}
  </div>`;
}

function callsTable(
  { clock, credentials, query, calls, place }: RequestsModel,
  words: MerchantTexts['requests'],
): Html {
  const names = new Map(credentials.map(({ credentialId, name }) => [credentialId, name]));
  const { onlyRefused, ...others } = query;
  const all = callsAddress(place.base, { onlyRefused });
  return table({
    caption: onlyRefused ? words.errorsCaption : words.caption,
    head: [
      ...[words.time, words.call, words.status, words.code],
      { text: words.duration, isNumber: true } as const,
      ...[words.credential, words.requestId],
    ],
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
    empty:
      Object.keys(others).length === 0
        ? noCalls(onlyRefused, words)
        : emptyState(
            words.noMatch,
            html`<a class="button secondary" href="${all}">${words.clear}</a>`,
            'search',
          ),
  });
}

/** An empty list. Without errors all is well. */
function noCalls(onlyRefused: boolean, words: MerchantTexts['requests']): Html {
  const link = (href: string, text: string): Html =>
    html`<a class="button secondary" href="${href}">${text}</a>`;
  return onlyRefused
    ? emptyState(words.noErrors, link('/docs/errors', words.meanings), 'good')
    : emptyState(words.noCalls, link('/docs', words.reference), 'debugger');
}
