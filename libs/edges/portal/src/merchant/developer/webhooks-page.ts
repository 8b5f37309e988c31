import { html, type Html } from '#shared/html';
import { type WebhookKind, webhookKinds } from '#domain/merchants';
import { webhookTypes } from '#views/webhook-outbox';
import { positiveWhole } from '../../access/posted-form.js';
import { type Viewer } from '../../access/viewer.js';
import { field, form, hidden, nextPage } from '../../page/parts.js';
import { type Delivery } from '#records/webhooks';
import { type MerchantTexts } from '../merchant-texts.js';
import { deliveriesTable } from './deliveries-table.js';
import { addEndpoint, type EndpointCards, endpointCards } from './endpoint-cards.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

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
  const { place, clock, query, deliveries, next, mayResend } = model;
  const { texts } = frame;
  const follows = `${place.base}/webhooks?${searchOf({ ...query, ...(next !== undefined && { before: next }) })}`;
  return html`${endpointCards(model, frame)} ${filters(model, frame)}
    ${deliveriesTable(deliveries, { place, clock, texts, empty: texts.webhooks.empty })}
    ${nextPage(next === undefined ? undefined : follows, texts.common.next)}
    ${mayResend && deliveries.length > 0 ? resendForm(model, frame) : undefined}
    <p class="soft"><small>${texts.common.zone(place.timezone)}</small></p>`;
}

function filters({ place, query }: WebhooksModel, { viewer, texts }: Frame): Html {
  const { webhooks: words, common } = texts;
  const any = [['', common.any]] as const;
  return html`<div class="filters">
    ${form(viewer, {
      action: `${place.base}/webhooks`,
      method: 'get',
      isRow: true,
      look: 'secondary',
      submit: common.show,
      fields: [
        field({
          name: 'kind',
          label: words.kind,
          value: query.kind,
          options: [...any, ...webhookKinds.map((kind) => [kind, kind.toUpperCase()] as const)],
        }),
        field({
          name: 'type',
          label: words.event,
          value: query.type,
          options: [...any, ...webhookTypes.map((type) => [type, type] as const)],
        }),
        field({
          name: 'failing',
          label: words.onlyFailing,
          type: 'checkbox',
          value: query.failing ? 'on' : undefined,
        }),
      ],
    })}
  </div>`;
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
