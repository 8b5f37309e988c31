import { html, type Html } from '#shared/html';
import { type EndpointHealth, type WebhookHour } from '#records/webhooks';
import { supportsType, type WebhookEndpoint, webhookTypes } from '#views/webhook-outbox';
import { type Viewer } from '../../access/viewer.js';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { definitions, emptyState, form, hidden, statusMark } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { endpointDay } from './endpoint-day.js';

export interface EndpointCards {
  readonly place: Place;
  readonly clock: WallClock;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly health: readonly EndpointHealth[];
  /** The 24 hours that are shown, and the attempts in them. */
  readonly hours: readonly Date[];
  readonly attempted: readonly WebhookHour[];
  /** Addresses for failures; empty for viewers who may not change them. */
  readonly contacts: ReadonlyMap<string, string>;
  readonly mayChange: boolean;
  readonly mayResend: boolean;
}

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** A card for each endpoint of the place: its URL, health and last delivery, and the way to its forms. */
export function endpointCards(of: EndpointCards, frame: Frame): Html {
  const { webhooks: words } = frame.texts;
  if (of.endpoints.length === 0)
    return emptyState(
      words.noEndpoint.text,
      of.mayChange ? addEndpoint(of, frame.texts) : words.noEndpoint.todo,
    );
  return html`<div class="parts">
    ${of.endpoints.map((endpoint) => card(endpoint, of, frame))}
  </div>`;
}

/** The way to the form of a new endpoint. People cannot add one in V3's words, because V3 ends. */
export function addEndpoint({ place }: EndpointCards, { developer }: MerchantTexts): Html {
  return html`<a class="button" href="${place.base}/webhooks/endpoint?kind=v4"
    >${developer.endpoint.add}</a
  >`;
}

function card({ url, kind, enabled }: WebhookEndpoint, cards: EndpointCards, frame: Frame): Html {
  const { place, clock, health } = cards;
  const { webhooks: words } = frame.texts;
  const of = health.find((one) => one.mode === place.mode && one.kind === kind);
  const at = (instant: Date | null | undefined) =>
    instant ? shortTime(instant, clock) : undefined;
  return html`<section class="card resource" aria-labelledby="endpoint-${kind}">
    <div class="card-head">
      <h2 id="endpoint-${kind}">
        <code>${url}</code> <small class="soft">${kind.toUpperCase()}</small>
      </h2>
      ${healthMark({ enabled, failures: of?.failures ?? 0 }, words)}
    </div>
    ${definitions([
      [
        words.day,
        endpointDay(
          cards.attempted.filter((hour) => hour.kind === kind),
          cards.hours,
          { clock, words },
        ),
      ],
      [words.lastSuccess, at(of?.lastSuccessAt) ?? words.never],
      [words.failingSince, at(of?.failingSince)],
      [frame.texts.developer.endpoint.failuresTo, cards.contacts.get(kind)],
    ])}
    ${cards.mayChange ? actions({ kind, enabled }, cards, frame) : undefined}
  </section>`;
}

function healthMark(
  { enabled, failures }: { readonly enabled: boolean; readonly failures: number },
  words: MerchantTexts['webhooks'],
): Html {
  if (!enabled) return statusMark('disabled', words.disabled, 'neutral');
  return failures > 0
    ? statusMark('failed', words.failing(failures))
    : statusMark('ok', words.healthy);
}

function actions(
  { kind, enabled }: Pick<WebhookEndpoint, 'kind' | 'enabled'>,
  { place, mayResend }: EndpointCards,
  { viewer, texts }: Frame,
): Html {
  const { endpoint: words } = texts.developer;
  const base = `${place.base}/webhooks/endpoint`;
  const type = webhookTypes.find((one) => supportsType(kind, one));
  const mayTest = mayResend && enabled && place.mode === 'demo';
  return html`<div class="buttons">
    ${
      mayTest && type !== undefined
        ? form(viewer, {
            action: `${base}/test`,
            look: 'secondary',
            submit: words.testSend,
            fields: [hidden('kind', kind), hidden('type', type)],
          })
        : undefined
    }
    <a class="button secondary" href="${base}?kind=${kind}"
      >${words.manage}<span class="away"> ${kind.toUpperCase()}</span></a
    >
  </div>`;
}
