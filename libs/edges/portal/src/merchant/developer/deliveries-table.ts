import { html, type Html } from '#shared/html';
import { type Delivery } from '#records/webhooks';
import { type EventItem } from '#views/webhook-outbox';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { listTable } from '../../page/list-table.js';
import { statusMark } from '../../page/parts.js';
import { itemAddress, type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

interface Around {
  readonly place: Place;
  readonly clock: WallClock;
  readonly texts: MerchantTexts;
  /** The item of each delivery, by its sequence; absent on an item's own page, which names it already. */
  readonly items?: ReadonlyMap<bigint, EventItem>;
}

/**
 * The list of deliveries: each row leads to its attempts, and its reference to the item. On a phone a row is a card of
 * two lines.
 */
export function deliveriesTable(
  deliveries: readonly Delivery[],
  { place, clock, texts, items }: Around,
): Html {
  const { webhooks: words, common } = texts;
  return listTable({
    caption: words.deliveries,
    look: 'deliveries',
    columns: [
      { text: words.state, style: 'status' },
      { text: words.event, style: 'ref', isHeading: true },
      ...(items ? [{ text: common.reference, style: 'item' }] : []),
      { text: words.answer, style: 'more' },
      { text: words.owed, style: 'when' },
      { text: words.attempts, style: 'number attempts' },
    ],
    rows: deliveries.map((of) => [
      html`${stateMark(of, words)}${nextNote(of, clock, words)}`,
      deliveryLink(of, place),
      ...(items ? [itemLink(items.get(of.sequence), place)] : []),
      html`<span class="soft">${lastAnswer(of, words)}</span>`,
      shortTime(of.owedAt, clock),
      html`<span class="${of.attempts === 1 ? 'once' : 'times'}"
        ><span class="unit">${words.attempts}: </span>${of.attempts}</span
      >`,
    ]),
  });
}

/** The event of a delivery, with a link to its page. */
export function deliveryLink({ webhookId, type }: Delivery, { base }: Place): Html {
  return html`<a href="${base}/webhooks/${webhookId}">${type}</a>`;
}

/** The reference of a delivery's item, with a link to the item's page; undefined if the item is not known. */
export function itemLink(item: EventItem | undefined, place: Place): Html | undefined {
  return item && html`<a href="${itemAddress(place, item)}">${item.reference}</a>`;
}

/** The state of a delivery as a badge. */
export function stateMark(of: Delivery, { states }: MerchantTexts['webhooks']): Html {
  if (of.outcome === 'delivered') return statusMark('delivered', states.delivered);
  return of.nextAttemptAt
    ? statusMark('pending', of.attempts > 0 ? states.retrying : states.waiting)
    : statusMark('failed', states[of.outcome ?? 'over']);
}

/** The time of the next attempt, if there is one. */
export function nextNote(
  { nextAttemptAt, outcome }: Delivery,
  clock: WallClock,
  words: MerchantTexts['webhooks'],
): Html | undefined {
  if (outcome === 'delivered' || nextAttemptAt === null) return undefined;
  return html` <small class="status-note"
    >${words.nextAttempt} ${shortTime(nextAttemptAt, clock)}</small
  >`;
}

function lastAnswer(
  { lastOutcome, lastStatus }: Delivery,
  words: MerchantTexts['webhooks'],
): string {
  return lastOutcome === null ? '' : answerWord(lastOutcome, lastStatus, words);
}

/** The answer to an attempt: its HTTP status, or why there was none. */
export function answerWord(
  outcome: string,
  status: number | null,
  { answers }: MerchantTexts['webhooks'],
): string {
  if (status !== null) return `HTTP ${status}`;
  const known: Readonly<Record<string, string>> = answers;
  return Object.hasOwn(known, outcome) ? (known[outcome] ?? outcome) : outcome;
}
