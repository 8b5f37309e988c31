import { html, type Html } from '#shared/html';
import { type WebhookKind, webhookKinds } from '#domain/merchants';
import { type WebhookEndpoint, type WebhookEvent, webhookTypes } from '#views/webhook-outbox';
import { positiveWhole } from '../../access/posted-form.js';
import { type Viewer } from '../../access/viewer.js';
import {
  definitions,
  emptyState,
  field,
  form,
  hidden,
  nextPage,
  notice,
  statusMark,
  table,
  time,
} from '../../page/parts.js';
import { type Place } from '../place.js';
import { type Delivery, type DeliveryAttempt, type EndpointHealth } from '#records/webhooks';
import { type MerchantTexts } from '../merchant-texts.js';

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

export interface WebhooksModel {
  readonly place: Place;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly health: readonly EndpointHealth[];
  readonly query: DeliveriesQuery;
  readonly deliveries: readonly Delivery[];
  /** The start of the next page. */
  readonly next: bigint | undefined;
  readonly mayResend: boolean;
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

/** The page of the endpoints and the deliveries to them. */
export function webhooksPage(model: WebhooksModel, { viewer, texts }: Frame): Html {
  const { place, query, deliveries, next, mayResend } = model;
  const { webhooks: words, common } = texts;
  const address = `${place.base}/webhooks`;
  const any = [['', common.any]] as const;
  return html`${endpoints(model, texts)}
  ${form(viewer, {
    action: address,
    method: 'get',
    isRow: true,
    submit: common.show,
    fields: [
      field({
        name: 'kind',
        label: words.kind,
        value: query.kind,
        options: [...any, ...webhookKinds.map((kind) => [kind, kind] as const)],
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
  ${deliveriesTable(deliveries, { place, texts, empty: words.empty })}
  ${mayResend && deliveries.length > 0 ? resendForm(model, { viewer, texts }) : undefined}
  ${nextPage(next === undefined ? undefined : `${address}?${searchOf({ ...query, before: next })}`, common.next)}`;
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
  return html`<p>${words.resendHow}</p>
    ${form(viewer, {
      action: `${place.base}/webhooks/resend`,
      submit: words.resendShown(deliveries.length),
      fields: [
        hidden('query', searchOf(query)),
        ...deliveries.map((delivery) => hidden(deliveryField, deliveryName(delivery))),
      ],
    })}`;
}

function endpoints(
  { place, endpoints: all, health }: WebhooksModel,
  { webhooks: words }: MerchantTexts,
): Html {
  return table({
    caption: words.endpoints,
    head: [words.address, words.kind, words.state, words.failingSince, words.lastSuccess],
    rows: all.map(({ url, kind, enabled }) => {
      const of = health.find((one) => one.mode === place.mode && one.kind === kind);
      const at = (instant: Date | null | undefined) =>
        instant ? time(instant, place.timezone) : '';
      const failures = of?.failures ?? 0;
      return [
        html`<code>${url}</code>`,
        kind,
        !enabled
          ? statusMark('disabled', words.disabled)
          : failures > 0
            ? statusMark('failed', words.failing(failures))
            : statusMark('ok', words.healthy),
        at(of?.failingSince),
        at(of?.lastSuccessAt),
      ];
    }),
    empty: emptyState(words.noEndpoint.text, words.noEndpoint.todo),
  });
}

/** A table of deliveries, each with a link to its attempts. */
export function deliveriesTable(
  deliveries: readonly Delivery[],
  {
    place,
    texts: { webhooks: words },
    empty,
  }: {
    readonly place: Place;
    readonly texts: MerchantTexts;
    readonly empty: MerchantTexts['webhooks']['empty'];
  },
): Html {
  return table({
    caption: words.deliveries,
    head: [
      ...[words.event, { text: words.sequence, isNumber: true } as const, words.kind],
      ...[words.owed, { text: words.attempts, isNumber: true } as const, words.state],
    ],
    rows: deliveries.map((of) => [
      html`<a href="${place.base}/webhooks/${of.webhookId}">${of.type}</a>`,
      of.sequence.toString(),
      of.kind,
      time(of.owedAt, place.timezone),
      of.attempts,
      standing(of, place, words),
    ]),
    empty: emptyState(empty.text, empty.todo),
  });
}

function standing(of: Delivery, { timezone }: Place, words: MerchantTexts['webhooks']): Html {
  if (of.outcome === 'delivered') return statusMark('delivered', words.states.delivered);
  const last =
    of.lastOutcome === null ? undefined : html` (${result(of.lastOutcome, of.lastStatus)})`;
  if (of.nextAttemptAt)
    return html`${statusMark('pending', words.states.waiting)}
    ${time(of.nextAttemptAt, timezone)}${last}`;
  return html`${statusMark('failed', words.states[of.outcome ?? 'over'])}${last}`;
}

function result(outcome: string, status: number | null): string {
  const isStatus = outcome === 'status' || outcome === 'refused';
  return isStatus && status !== null ? `HTTP ${status}` : outcome.replaceAll('_', ' ');
}

export type ResendProblem = keyof MerchantTexts['webhooks']['cannotResend'];

export interface DeliveryModel {
  readonly place: Place;
  readonly deliveries: readonly [Delivery, ...Delivery[]];
  readonly attempts: readonly DeliveryAttempt[];
  /** Undefined if the views do not have it. */
  readonly event: WebhookEvent | undefined;
  readonly mayResend: boolean;
  readonly problem: ResendProblem | undefined;
}

/**
 * The page of one event: the endpoints that it is owed to, each attempt, the exact bytes, and the form to send it
 * again.
 */
export function deliveryPage(model: DeliveryModel, { viewer, texts }: Frame): Html {
  const { place, deliveries, attempts, event, mayResend, problem } = model;
  const { webhooks: words } = texts;
  const [first] = deliveries;
  return html`${problem === undefined ? undefined : notice('error', words.cannotResend[problem])}
  ${definitions([
    [words.event, first.type],
    [words.sequence, first.sequence.toString()],
    ['PesaPost-Event-Id', html`<code>${first.webhookId}</code>`],
    [words.owed, time(first.owedAt, place.timezone)],
  ])}
  ${deliveries.map(
    (delivery) =>
      html`<h2>${delivery.kind}</h2>
        <p>${standing(delivery, place, words)}</p>
        ${attemptsTable(
          attempts.filter(({ kind }) => kind === delivery.kind),
          { kind: delivery.kind, place, words },
        )}
        ${
          mayResend
            ? html`<p>${words.resendHow}</p>
                ${form(viewer, {
                  action: `${place.base}/webhooks/${delivery.webhookId}/resend`,
                  submit: words.resend,
                  fields: [hidden('kind', delivery.kind)],
                })}`
            : undefined
        }`,
  )}
  ${
    event &&
    html`<h2>${words.body}</h2>
      <pre class="scroll" tabindex="0"><code>${event.body}</code></pre>`
  }`;
}

function attemptsTable(
  attempts: readonly DeliveryAttempt[],
  {
    kind,
    place,
    words,
  }: {
    readonly kind: string;
    readonly place: Place;
    readonly words: MerchantTexts['webhooks'];
  },
): Html {
  return table({
    caption: `${words.attempts}: ${kind}`,
    head: [words.attempts, words.owed, words.result, { text: words.duration, isNumber: true }],
    rows: attempts.map(({ attempt, startedAt, outcome, status, durationMs }) => [
      attempt,
      time(startedAt, place.timezone),
      outcome === 'delivered'
        ? statusMark('delivered', words.states.delivered)
        : statusMark(
            'failed',
            status === null
              ? `${words.noAnswer}: ${result(outcome, null)}`
              : result('status', status),
          ),
      `${durationMs} ms`,
    ]),
    empty: html`<p>${words.noAttempts}</p>`,
  });
}
