import { html, type Html } from '#shared/html';
import { type WebhookKind, webhookKinds } from '#domain/merchants';
import { type EventItem, webhookTypes } from '#views/webhook-outbox';
import { positiveWhole } from '../../access/posted-form.js';
import { type Viewer } from '../../access/viewer.js';
import { icon } from '../../page/icons.js';
import { emptyState, field, form, hidden, nextPage } from '../../page/parts.js';
import { type Delivery } from '#records/webhooks';
import { type MerchantTexts } from '../merchant-texts.js';
import { deliveriesTable } from './deliveries-table.js';
import { addEndpoint, type EndpointCards, endpointCards } from './endpoint-cards.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** The tab counts failed deliveries up to this number. */
export const maxFailedCounted = 999;

/** Filters of the list of deliveries. */
export interface DeliveriesQuery {
  readonly kind?: WebhookKind;
  readonly type?: string;
  readonly failing: boolean;
  readonly before?: bigint;
}

export interface WebhooksModel extends EndpointCards {
  readonly query: DeliveriesQuery;
  readonly deliveries: readonly Delivery[];
  /** The items of the deliveries, by their sequences. */
  readonly items: ReadonlyMap<bigint, EventItem>;
  /** How many deliveries failed, up to one more than `maxFailedCounted`. */
  readonly failed: number;
  /** The start of the next page. */
  readonly next: bigint | undefined;
}

/** Reads the filters. It ignores a value that none of our links and forms sends. */
export function readDeliveriesQuery(parameters: URLSearchParams): DeliveriesQuery {
  const kind = webhookKinds.find((one) => one === parameters.get('kind'));
  const type = webhookTypes.find((one) => one === parameters.get('type'));
  const before = positiveWhole(parameters.get('before'));
  return {
    ...(kind && { kind }),
    ...(type && { type }),
    failing: parameters.get('failing') === 'on',
    ...(before !== undefined && { before }),
  };
}

/** The query string of the filters, without its question mark. */
export function searchOf({ kind, type, failing, before }: DeliveriesQuery): string {
  return new URLSearchParams({
    ...(kind && { kind }),
    ...(type !== undefined && { type }),
    ...(failing && { failing: 'on' }),
    ...(before !== undefined && { before: before.toString() }),
  }).toString();
}

/** The page's actions beside its title: a new endpoint, and the form that resends all that failed. */
export function webhooksActions(model: WebhooksModel, texts: MerchantTexts): Html | undefined {
  const { place, endpoints, mayChange, mayResend } = model;
  const isAddable =
    mayChange && endpoints.length > 0 && !endpoints.some(({ kind }) => kind === 'v4');
  if (!isAddable && !mayResend) return undefined;
  return html`${
    mayResend
      ? html`<a class="button secondary" href="${place.base}/webhooks/failed"
          >${texts.developer.failed.open}</a
        >`
      : undefined
  }
  ${isAddable ? addEndpoint(model, texts) : undefined}`;
}

/** The page of the endpoints and the deliveries to them. */
export function webhooksPage(model: WebhooksModel, frame: Frame): Html {
  const { place, clock, query, deliveries, items, next, mayResend } = model;
  const { texts } = frame;
  const follows = `${place.base}/webhooks?${searchOf({ ...query, ...(next !== undefined && { before: next }) })}`;
  return html`${endpointCards(model, frame)} ${listHead(model, frame)}
    ${
      deliveries.length === 0
        ? noDeliveries(model, texts)
        : deliveriesTable(deliveries, { place, clock, texts, items })
    }
    ${nextPage(next === undefined ? undefined : follows, texts.common.next)}
    ${mayResend && query.failing && deliveries.length > 0 ? resendForm(model, frame) : undefined}
    <p class="soft"><small>${texts.common.zone(place.timezone)}</small></p>`;
}

/** The tabs All and Failed, and the filter of events beside them. */
function listHead(model: WebhooksModel, frame: Frame): Html {
  const { place, query, failed } = model;
  const { webhooks: words } = frame.texts;
  const { before: _before, ...kept } = query;
  const tab = (text: string, failing: boolean): Html => {
    const search = searchOf({ ...kept, failing });
    return html`<li>
      <a
        href="${place.base}/webhooks${search === '' ? '' : `?${search}`}"
        ${failing === query.failing ? html` aria-current="page"` : undefined}
        >${text}</a
      >
    </li>`;
  };
  const count = failed > maxFailedCounted ? `${maxFailedCounted}+` : failed.toString();
  return html`<div class="tab-row">
    <ul class="tabs">
      ${tab(words.tabs.all, false)} ${tab(words.tabs.failed(count), true)}
    </ul>
    ${eventFilter(model, frame)}
  </div>`;
}

function eventFilter({ place, query, endpoints }: WebhooksModel, { viewer, texts }: Frame): Html {
  const { webhooks: words, common } = texts;
  const any = [['', common.any]] as const;
  const set = [query.type, query.kind?.toUpperCase()].filter((one) => one !== undefined);
  const hasKinds = endpoints.length > 1 || query.kind !== undefined;
  return html`<details class="chip${set.length > 0 ? ' is-set' : ''}">
    <summary>
      ${words.event}${set.length > 0 ? `: ${set.join(', ')}` : undefined} ${icon('down')}
    </summary>
    <div>
      ${form(viewer, {
        action: `${place.base}/webhooks`,
        method: 'get',
        submit: common.show,
        look: 'secondary',
        fields: [
          ...(query.failing ? [hidden('failing', 'on')] : []),
          field({
            name: 'type',
            label: words.event,
            value: query.type,
            options: [...any, ...webhookTypes.map((type) => [type, type] as const)],
          }),
          ...(hasKinds
            ? [
                field({
                  name: 'kind',
                  label: words.kind,
                  value: query.kind,
                  options: [
                    ...any,
                    ...webhookKinds.map((kind) => [kind, kind.toUpperCase()] as const),
                  ],
                }),
              ]
            : []),
        ],
      })}
    </div>
  </details>`;
}

/** An empty list. Only the tab Failed is empty for a good reason. */
function noDeliveries({ place, query }: WebhooksModel, { webhooks: words }: MerchantTexts): Html {
  const isFiltered = query.type !== undefined || query.kind !== undefined;
  const all = (text: string): Html =>
    html`<a class="button secondary" href="${place.base}/webhooks">${text}</a>`;
  if (query.failing && !isFiltered) return emptyState(words.noneFailed, all(words.showAll), 'good');
  if (isFiltered) return emptyState(words.empty.filtered, all(words.showAll), 'webhooks');
  const guide = html`<a class="button secondary" href="/docs/webhooks">${words.empty.guide}</a>`;
  return emptyState(words.empty.text, guide, 'webhooks');
}

/** The name of the field whose values name the deliveries to send again. */
export const deliveryField = 'delivery';

/** The name of a delivery in that field. It needs the kind, because one event is owed to an endpoint of each kind. */
export function deliveryName({ webhookId, kind }: Pick<Delivery, 'webhookId' | 'kind'>): string {
  return `${webhookId} ${kind}`;
}

/** A form that names each shown delivery, so that its sender sends nothing again without having seen it. */
function resendForm({ place, query, deliveries }: WebhooksModel, { viewer, texts }: Frame): Html {
  const { webhooks: words } = texts;
  return html`<div class="buttons">
    ${form(viewer, {
      action: `${place.base}/webhooks/resend`,
      look: 'secondary',
      submit: words.resendShown(deliveries.length),
      fields: [
        hidden('query', searchOf(query)),
        ...deliveries.map((delivery) => hidden(deliveryField, deliveryName(delivery))),
      ],
    })}
    <small class="soft">${words.resendHow}</small>
  </div>`;
}
