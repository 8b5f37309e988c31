import { html, type Html } from '#shared/html';
import { type Delivery, type DeliveryAttempt } from '#records/webhooks';
import { type WebhookEvent } from '#views/webhook-outbox';
import { type Viewer } from '../../access/viewer.js';
import { definitions, form, hidden, notice, statusMark, table, time } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { resultWord, standing } from './deliveries-table.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
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
      <pre class="scroll" tabindex="0"><code>${formatted(event.body)}</code></pre>
      <details>
        <summary>${words.raw}</summary>
        <pre class="scroll" tabindex="0"><code>${event.body}</code></pre>
      </details>`
  }`;
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
              ? `${words.noAnswer}: ${resultWord(outcome, null)}`
              : resultWord('status', status),
          ),
      `${durationMs} ms`,
    ]),
    empty: html`<p>${words.noAttempts}</p>`,
  });
}
