import { html, type Html } from '#shared/html';
import { type Delivery } from '#records/webhooks';
import { emptyState, statusMark, table, time } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

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

/** The state of a delivery, with its last outcome or its next attempt. */
export function standing(
  of: Delivery,
  { timezone }: Place,
  words: MerchantTexts['webhooks'],
): Html {
  if (of.outcome === 'delivered') return statusMark('delivered', words.states.delivered);
  const last =
    of.lastOutcome === null ? undefined : html` (${resultWord(of.lastOutcome, of.lastStatus)})`;
  if (of.nextAttemptAt)
    return html`${statusMark('pending', words.states.waiting)}
    ${time(of.nextAttemptAt, timezone)}${last}`;
  return html`${statusMark('failed', words.states[of.outcome ?? 'over'])}${last}`;
}

/** The outcome of an attempt in words. */
export function resultWord(outcome: string, status: number | null): string {
  const isStatus = outcome === 'status' || outcome === 'refused';
  return isStatus && status !== null ? `HTTP ${status}` : outcome.replaceAll('_', ' ');
}
