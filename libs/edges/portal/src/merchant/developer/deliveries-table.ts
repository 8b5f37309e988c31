import { html, type Html } from '#shared/html';
import { type Delivery } from '#records/webhooks';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { emptyState, statusMark, table } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

interface Around {
  readonly place: Place;
  readonly clock: WallClock;
  readonly texts: MerchantTexts;
  readonly empty: MerchantTexts['webhooks']['empty'];
}

/** A table of deliveries, each with a link to its attempts. */
export function deliveriesTable(
  deliveries: readonly Delivery[],
  { place, clock, texts, empty }: Around,
): Html {
  const { webhooks: words } = texts;
  return table({
    caption: words.deliveries,
    head: [
      ...[words.state, words.event, words.owed],
      ...[{ text: words.attempts, isNumber: true } as const, words.kind],
      { text: words.sequence, isNumber: true },
    ],
    rows: deliveries.map((of) => [
      standing(of, clock, words),
      deliveryLink(of, place),
      shortTime(of.owedAt, clock),
      of.attempts,
      of.kind.toUpperCase(),
      of.sequence.toString(),
    ]),
    empty: emptyState(empty.text, empty.todo),
  });
}

/** The event of a delivery, with a link to its page. */
export function deliveryLink({ webhookId, type }: Delivery, { base }: Place): Html {
  return html`<a href="${base}/webhooks/${webhookId}">${type}</a>`;
}

/** The state of a delivery, with its last outcome and its next attempt. */
export function standing(of: Delivery, clock: WallClock, words: MerchantTexts['webhooks']): Html {
  if (of.outcome === 'delivered') return statusMark('delivered', words.states.delivered);
  const last = of.lastOutcome === null ? undefined : resultWord(of.lastOutcome, of.lastStatus);
  const mark = of.nextAttemptAt
    ? statusMark('pending', words.states.waiting)
    : statusMark('failed', words.states[of.outcome ?? 'over']);
  const next = of.nextAttemptAt
    ? html`${words.nextAttempt} ${shortTime(of.nextAttemptAt, clock)}`
    : undefined;
  if (last === undefined && next === undefined) return mark;
  const between = last !== undefined && next !== undefined ? ' · ' : '';
  return html`${mark} <small class="status-note">${last}${between}${next}</small>`;
}

/** The outcome of an attempt in words. */
export function resultWord(outcome: string, status: number | null): string {
  const isStatus = outcome === 'status' || outcome === 'refused';
  return isStatus && status !== null ? `HTTP ${status}` : outcome.replaceAll('_', ' ');
}
