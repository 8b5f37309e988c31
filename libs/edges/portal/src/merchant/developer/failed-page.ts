import { html, type Html } from '#shared/html';
import { type Delivery } from '#records/webhooks';
import { type Viewer } from '../../access/viewer.js';
import {
  emptyAction,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  statusMark,
} from '../../page/parts.js';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { listTable } from '../../page/list-table.js';
import { type EventItem } from '#views/webhook-outbox';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { deliveryLink, itemLink } from './deliveries-table.js';
import { type ResendProblem } from './delivery-page.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** The most webhooks that one form resends. */
export const maxResent = 100;
/** Failed webhooks are counted up to this number. */
export const maxCounted = 10_000;

export interface FailedModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly typed: { readonly day: string; readonly clock: string };
  readonly error: string | undefined;
  /** The failed webhooks since the given time, or since the day began; undefined if the time is wrong. */
  readonly found?: { readonly since: Date; readonly until: Date; readonly count: number };
}

/** The page that says how many webhooks failed since a time, before any is resent. */
export function failedPage(model: FailedModel, frame: Frame): Html {
  const { place, typed, error, found } = model;
  const { viewer, texts } = frame;
  const { failed: words } = texts.developer;
  return html`${errorSummary(texts.common.form.invalid, error === undefined ? [] : [{ field: 'day', text: error }])}
    ${found && ask(model, found, frame)} ${found && html`<h2>${words.other}</h2>`}
    ${form(viewer, {
      action: `${place.base}/webhooks/failed`,
      method: 'get',
      isRow: true,
      submit: words.count,
      ...(found && { look: 'secondary' }),
      fields: [
        field({
          name: 'day',
          label: words.day,
          type: 'date',
          value: typed.day,
          error,
          isRequired: true,
        }),
        field({
          name: 'clock',
          label: words.clock,
          hint: words.clockHint,
          value: typed.clock,
          width: 'short',
          maxLength: 5,
        }),
      ],
    })}
    <p class="soft"><small>${texts.common.zone(place.timezone)}</small></p>
    ${found?.count === 0 ? undefined : back(place, texts)}`;
}

function ask(
  { place, clock }: FailedModel,
  { since, until, count }: NonNullable<FailedModel['found']>,
  { viewer, texts }: Frame,
): Html {
  const { failed: words } = texts.developer;
  // "Since 00:00" would not say of which day.
  const from = shortTime(since, { ...clock, today: '' });
  if (count === 0)
    return emptyState(
      words.none,
      html`${words.since} ${from} ${emptyAction(`${place.base}/webhooks`, texts.webhooks.showAll)}`,
      'good',
    );
  const next = Math.min(count, maxResent);
  return html`<section class="card">
    <h2>${words.found(count, count === maxCounted)}</h2>
    <p>${words.since} ${from}. ${count > maxResent ? words.bounded(maxResent) : undefined}</p>
    <p>${texts.webhooks.resendHow}</p>
    ${form(viewer, {
      action: `${place.base}/webhooks/failed/resend`,
      submit: words.resend(next),
      fields: [hidden('since', since.toISOString()), hidden('until', until.toISOString())],
    })}
  </section>`;
}

/** A webhook that was to be resent, and why it was not. */
export interface Resent {
  readonly delivery: Delivery;
  readonly problem: ResendProblem | undefined;
}

export interface ResentModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly resent: readonly Resent[];
  /** The items of the webhooks, by their sequences. */
  readonly items: ReadonlyMap<bigint, EventItem>;
  /** Failed webhooks that the form did not reach. */
  readonly more: number;
}

/** The outcome of each webhook that the form was about. */
export function resentPage(
  { place, clock, resent, items, more }: ResentModel,
  texts: MerchantTexts,
): Html {
  const { webhooks: words, developer } = texts;
  if (resent.length === 0)
    return emptyState(
      developer.failed.none,
      html`${developer.failed.noneTodo} ${emptyAction(`${place.base}/webhooks`, words.showAll)}`,
      'good',
    );
  return html`${listTable({
    caption: developer.failed.outcomes,
    look: 'deliveries',
    columns: [
      { text: words.result, style: 'status' },
      { text: words.event, style: 'ref', isHeading: true },
      { text: texts.common.reference, style: 'item' },
      { text: words.owed, style: 'when' },
    ],
    rows: resent.map(({ delivery: of, problem }) => [
      problem === undefined
        ? statusMark('pending', developer.failed.sending)
        : statusMark('failed', developer.failed.problems[problem]),
      deliveryLink(of, place),
      itemLink(items.get(of.sequence), place),
      shortTime(of.owedAt, clock),
    ]),
  })}
  ${more > 0 ? html`<p>${developer.failed.more(more)}</p>` : undefined} ${back(place, texts)}`;
}

function back({ base }: Place, { developer }: MerchantTexts): Html {
  return html`<p><a href="${base}/webhooks">${developer.endpoint.back}</a></p>`;
}
