import { html, type Html } from '#shared/html';
import { type Delivery, type DeliveryAttempt } from '#records/webhooks';
import { type EventItem, type WebhookEvent } from '#views/webhook-outbox';
import { type Viewer } from '../../access/viewer.js';
import { exactTime, type WallClock } from '../../page/list-parts.js';
import { definitions, form, hidden, notice, shortId, statusMark, table } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { answerWord, itemLink, nextNote, stateMark } from './deliveries-table.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export type ResendProblem = keyof MerchantTexts['webhooks']['cannotResend'];

export interface DeliveryModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly deliveries: readonly [Delivery, ...Delivery[]];
  readonly attempts: readonly DeliveryAttempt[];
  /** The item and the event; undefined if the views do not have them. */
  readonly item: EventItem | undefined;
  readonly event: WebhookEvent | undefined;
  readonly mayResend: boolean;
  readonly problem: ResendProblem | undefined;
}

/**
 * The page of one event: the endpoints that it is owed to, each attempt, the payload, and the form to send it again.
 */
export function deliveryPage(model: DeliveryModel, frame: Frame): Html {
  const { place, clock, deliveries, event, item, problem } = model;
  const { webhooks: words } = frame.texts;
  const [first] = deliveries;
  return html`${problem === undefined ? undefined : notice('error', words.cannotResend[problem])}
    <div class="split">
      <div>
        ${deliveries.map((delivery) => deliveryCard(delivery, model, frame))}
        ${event && payload(event, words)}
      </div>
      <section class="card aside">
        ${definitions([
          [frame.texts.common.reference, itemLink(item, place)],
          [words.event, first.type],
          [words.owed, exactTime(first.owedAt.toISOString(), clock)],
          ['PesaPost-Event-Id', shortId(first.webhookId)],
          [words.sequence, first.sequence.toString()],
        ])}
      </section>
    </div>`;
}

/** The attempts for one endpoint. Its button is the page's primary one if the event is owed to no other. */
function deliveryCard(
  delivery: Delivery,
  { place, clock, deliveries, attempts, mayResend }: DeliveryModel,
  { viewer, texts }: Frame,
): Html {
  const { webhooks: words } = texts;
  const { kind, webhookId } = delivery;
  const own = attempts.filter((attempt) => attempt.kind === kind);
  return html`<section class="card" aria-labelledby="delivery-${kind}">
    <div class="card-head">
      <h2 id="delivery-${kind}">${words.delivery(kind.toUpperCase())}</h2>
      <div>${stateMark(delivery, words)}${nextNote(delivery, clock, words)}</div>
    </div>
    ${attemptsTable(own, { kind, clock, words })}
    ${
      mayResend
        ? html`<div class="buttons">
            ${form(viewer, {
              action: `${place.base}/webhooks/${webhookId}/resend`,
              submit: words.resend,
              ...((deliveries.length > 1 || delivery.outcome === 'delivered') && {
                look: 'secondary',
              }),
              fields: [hidden('kind', kind)],
            })}
            <small class="soft">${words.resendHow}</small>
          </div>`
        : undefined
    }
  </section>`;
}

function payload({ body }: WebhookEvent, words: MerchantTexts['webhooks']): Html {
  return html`<h2>${words.body}</h2>
    <pre class="scroll" tabindex="0"><code>${formatted(body)}</code></pre>
    <details class="technical">
      <summary>${words.raw}</summary>
      <pre class="scroll" tabindex="0"><code>${body}</code></pre>
    </details>`;
}

/** The payload in lines, or as it was sent if it is no JSON. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function attemptsTable(
  attempts: readonly DeliveryAttempt[],
  {
    kind,
    clock,
    words,
  }: {
    readonly kind: string;
    readonly clock: WallClock;
    readonly words: MerchantTexts['webhooks'];
  },
): Html {
  return table({
    caption: `${words.attempts} (${kind.toUpperCase()})`,
    head: [words.attempt, words.time, words.result, { text: words.duration, isNumber: true }],
    rows: attempts.map(({ attempt, startedAt, outcome, status, durationMs }) => [
      attempt,
      exactTime(startedAt.toISOString(), clock),
      outcome === 'delivered'
        ? statusMark('delivered', answerWord(outcome, status, words))
        : statusMark('failed', answerWord(outcome, status, words)),
      `${durationMs} ms`,
    ]),
    empty: html`<p>${words.noAttempts}</p>`,
  });
}
