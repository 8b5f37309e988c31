import { html, type Html } from '#shared/html';
import { type EndpointHealth } from '#records/webhooks';
import { type WebhookEndpoint } from '#views/webhook-outbox';
import { definitions, emptyState, statusMark, time } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

export interface EndpointCards {
  readonly place: Place;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly health: readonly EndpointHealth[];
  readonly mayChange: boolean;
}

/** A card for each endpoint of the place: its URL, health and last delivery, and the way to its forms. */
export function endpointCards(of: EndpointCards, texts: MerchantTexts): Html {
  const { place, endpoints, mayChange } = of;
  const { webhooks: words, developer } = texts;
  const add = html`<a class="button" href="${place.base}/webhooks/endpoint?kind=v4"
    >${developer.endpoint.add}</a
  >`;
  if (endpoints.length === 0)
    return emptyState(words.noEndpoint.text, mayChange ? add : words.noEndpoint.todo);
  const hasV4 = endpoints.some(({ kind }) => kind === 'v4');
  return html`<h2>${words.endpoints}</h2>
    ${endpoints.map((endpoint) => card(endpoint, of, texts))}
    ${mayChange && !hasV4 ? html`<p>${add}</p>` : undefined}`;
}

function card(
  { url, kind, enabled }: WebhookEndpoint,
  { place, health, mayChange }: EndpointCards,
  { webhooks: words, developer }: MerchantTexts,
): Html {
  const of = health.find((one) => one.mode === place.mode && one.kind === kind);
  const at = (instant: Date | null | undefined) =>
    instant ? time(instant, place.timezone) : undefined;
  const failures = of?.failures ?? 0;
  const state = !enabled
    ? statusMark('disabled', words.disabled)
    : failures > 0
      ? statusMark('failed', words.failing(failures))
      : statusMark('ok', words.healthy);
  return html`<section class="card" aria-labelledby="endpoint-${kind}">
    <h3 id="endpoint-${kind}"><code>${url}</code></h3>
    ${definitions([
      [words.state, state],
      [words.kind, kind],
      [words.failingSince, at(of?.failingSince)],
      [words.lastSuccess, at(of?.lastSuccessAt) ?? words.never],
    ])}
    ${
      mayChange
        ? html`<p>
            <a href="${place.base}/webhooks/endpoint?kind=${kind}"
              >${developer.endpoint.manage} ${kind}</a
            >
          </p>`
        : undefined
    }
  </section>`;
}
