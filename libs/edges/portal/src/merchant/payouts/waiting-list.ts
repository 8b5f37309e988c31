import { type Minor } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type UnsettledPayout } from '#views/payouts';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { emptyAction, emptyState, form, hidden, money, statusMark } from '../../page/parts.js';
import { type Viewer } from '../../access/viewer.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { collectionLink, type Place } from '../place.js';

/** Facts about a waiting payout that its own events have. */
export interface WaitingFacts {
  /** The masked number. */
  readonly to: string;
  /** The person or holder who requested it, as pages name them. */
  readonly by: string;
  readonly feeMinor: Minor;
  /** The reference of the collection, if the payout refunds one. */
  readonly refundOf?: string | undefined;
  /** True if the viewer requested it, under any of their names. */
  readonly isOwn: boolean;
}

export interface Waiting {
  readonly place: Place;
  readonly clock: WallClock;
  readonly waiting: readonly UnsettledPayout[];
  /** By reference. A payout without facts is decided on its own page. */
  readonly facts: ReadonlyMap<string, WaitingFacts>;
  readonly mayDecide: boolean;
  readonly mayCancel: boolean;
  /** True if the viewer may request a payout. */
  readonly mayAsk: boolean;
}

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** The payouts that need a second person, each with its decision. A batch is decided as a whole, on its own page. */
export function waitingList(model: Waiting, frame: Frame): Html {
  const { waiting } = model;
  if (waiting.length === 0) return noneWaiting(model, frame.texts);
  const batches = new Set<string>();
  const cards = waiting.flatMap((of) => {
    if (of.batch === null) return [payoutCard(of, model, frame)];
    if (batches.has(of.batch)) return [];
    batches.add(of.batch);
    return [batchCard(of, of.batch, model, frame.texts)];
  });
  return html`<ul class="approvals">
    ${cards}
  </ul>`;
}

function noneWaiting({ place, mayAsk }: Waiting, { payouts: words }: MerchantTexts): Html {
  const [href, text] = mayAsk
    ? [`${place.base}/payouts/ask`, words.ask]
    : [`${place.base}/transactions?type=payout`, words.all];
  return emptyState(
    words.noneWaiting.text,
    html`${words.noneWaiting.todo} ${emptyAction(href, text)}`,
    'good',
  );
}

/** The address of the page on which a person checks a payout before deciding. */
export function waitingAddress({ base }: Pick<Place, 'base'>, reference: string): string {
  return `${base}/payouts/waiting/${encodeURIComponent(reference)}`;
}

function payoutCard(of: UnsettledPayout, model: Waiting, frame: Frame): Html {
  const { reference, amountMinor, currency, accountNo, since } = of;
  const { place, clock, facts } = model;
  const { payouts: words, common, item } = frame.texts;
  const known = facts.get(reference);
  return html`<li class="card">
    <div>
      <p class="value">${money(amountMinor, currency)}</p>
      <p>
        ${known && html`${words.confirm.to} ${known.to} · `}<a
          href="${waitingAddress(place, reference)}"
          >${reference}</a
        >
      </p>
      ${known?.refundOf === undefined ? undefined : html`<p>${item.refundOf} ${collectionLink(place, known.refundOf)}</p>`}
      ${
        known &&
        html`<p>
          ${common.fee} ${money(known.feeMinor, currency)} · ${words.total}
          <b>${money(amountMinor + known.feeMinor, currency)}</b>
        </p>`
      }
      <p class="soft">
        ${known && html`${words.askedBy} ${known.by} · `}${shortTime(since, clock)} ·
        ${common.account} ${accountNo}
      </p>
    </div>
    ${actions(of, model, frame)}
  </li>`;
}

/** The decision; or, for the person who requested the payout, its cancellation. */
function actions(
  { reference, amountMinor }: UnsettledPayout,
  { place, facts, mayDecide, mayCancel }: Waiting,
  { viewer, texts }: Frame,
): Html {
  const { payouts: words } = texts;
  const known = facts.get(reference);
  const address = waitingAddress(place, reference);
  if (known?.isOwn)
    return html`<div class="buttons">
      ${statusMark('pending', words.waitsForOther)}
      ${
        mayCancel
          ? form(viewer, {
              action: `${place.base}/payouts/cancel`,
              submit: words.cancel,
              look: 'secondary',
              fields: [hidden('reference', reference)],
            })
          : undefined
      }
    </div>`;
  if (!known || !mayDecide)
    return html`<a class="button secondary" href="${address}">${words.details}</a>`;
  const decide = (verdict: 'approve' | 'reject'): Html =>
    form(viewer, {
      action: `${place.base}/payouts/${verdict}`,
      submit: words[verdict],
      look: verdict === 'approve' ? 'secondary' : 'plain',
      fields: [hidden('reference', reference), hidden('amount_minor', amountMinor.toString())],
    });
  return html`<div class="buttons">${decide('approve')} ${decide('reject')}</div>`;
}

function batchCard(
  { accountNo, since }: UnsettledPayout,
  batch: string,
  { place, clock }: Waiting,
  { payouts: words, batches, common }: MerchantTexts,
): Html {
  const address = `${place.base}/payouts/batches/${encodeURIComponent(batch)}`;
  return html`<li class="card">
    <div>
      <p>${statusMark('batch', batches.waiting)} <a href="${address}">${batch}</a></p>
      <p class="soft">${shortTime(since, clock)} · ${common.account} ${accountNo}</p>
    </div>
    <a class="button secondary" href="${address}">${words.details}</a>
  </li>`;
}
