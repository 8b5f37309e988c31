import { correctionEndsAt } from '#domain/corrections';
import { type Mode } from '#domain/kernel';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type StoredReviewProposal } from '#records/reviews';
import { itemOf } from '#desk/operators';
import { type ListedCorrection } from '#views/balances';
import { type UnsettledBatch, type UnsettledPayout } from '#views/payouts';
import { merchantAddress } from '../page/navigation.js';
import {
  emptyAction,
  choice,
  definitions,
  emptyState,
  field,
  form,
  hidden,
  money,
  notice,
} from '../page/parts.js';
import { requestCards } from './access-cards.js';
import { withdrawForm } from './corrections-page.js';
import { legText, listedLegs, movedMinor } from './entries.js';
import {
  correctionHref,
  decisionWord,
  isViewer,
  itemHref,
  type PageContext,
  merchantName,
  modeMark,
  railCurrency,
  when,
  who,
} from './page-context.js';
import { type ShownMoney } from './proposed-money.js';
import { declineForms, reviewProposalEnds } from './proposal-card.js';
import { moneyRows } from './money-rows.js';
import { changeList, proposalForms, type ShownProposal } from './proposals-page.js';
import { isForViewer, isPermitted, type Waiting, type WaitingKind } from './waiting-shares.js';

interface Card {
  readonly kind: WaitingKind;
  readonly href: string | undefined;
  readonly name: string;
  readonly change: Html | string;
  readonly mode: Mode | undefined;
  /** Undefined if it concerns only the platform. */
  readonly merchantId: string | undefined;
  /** Undefined if the person is not known here. */
  readonly by: string | undefined;
  readonly reason: string;
  readonly since: Date;
  readonly ends: Date | undefined;
  /** Forms for the viewer, if they may decide it or take it back. */
  readonly forms?: Html | undefined;
  /** The value of the checkbox that chooses it, to be confirmed together with others. */
  readonly choice?: string | undefined;
}

const togetherId = 'together';

/**
 * The page of everything that waits for a second person. The viewer's own requests are listed apart from those that
 * they may decide.
 * @param moneyOf the money of each review by its item's stream, as far as it is known
 */
export function waitingPage(
  waiting: Waiting,
  context: PageContext,
  moneyOf: ReadonlyMap<string, ShownMoney> = new Map(),
): Html {
  const { waiting: words } = context.texts;
  const cards = cardsOf(waiting, context, moneyOf).toSorted(
    (one, other) => one.since.getTime() - other.since.getTime(),
  );
  const isYours = (card: Card): boolean => isForViewer(card, context.viewer);
  const listed = (of: readonly Card[], none: Html) => {
    if (of.length > 0) return of.map((card) => cardOf(card, context));
    // While a kind is unknown, the page does not say that nothing waits.
    return waiting.unknown.length > 0 ? undefined : none;
  };
  // The viewer cannot decide the others: their own, and those that their roles do not allow.
  const [yours, others] = [cards.filter(isYours), cards.filter((card) => !isYours(card))];
  return html`<p>${words.intro}</p>
    ${waiting.unknown.map(({ kind, problem }) =>
      notice('warning', words.notKnown(words.kinds[kind], problem)),
    )}
    ${waiting.more ? notice('warning', words.more) : undefined}
    ${requestCards(waiting.requests, context)}
    <h2>${words.yours}</h2>
    ${listed(yours, nothingForYou(context))}
    ${yours.filter(({ choice: of }) => of !== undefined).length > 1 ? together(context) : undefined}
    <h2>${words.others}</h2>
    ${listed(others, html`<p class="soft">${words.emptyOthers}. ${words.emptyOthersTodo}</p>`)}`;
}

/** It leads to the work that creates proposals. */
function nothingForYou({ texts, viewer }: PageContext): Html {
  const { empty, emptyTodo } = texts.waiting;
  if (!permits(viewer.roles, 'reviews.see')) return emptyState(empty, emptyTodo);
  const action = emptyAction('/portal/reviews', texts.reviews.title);
  return emptyState(empty, html`${emptyTodo} ${action}`, 'good');
}

function cardOf(card: Card, context: PageContext): Html {
  const { texts } = context;
  const { waiting: words } = texts;
  const { href, name, kind, change, mode, merchantId, by, reason, since, ends, forms } = card;
  return html`<section class="card approval">
    <div class="about">
      ${
        card.choice === undefined
          ? undefined
          : choice(togetherId, {
              name: 'proposal',
              value: card.choice,
              label: texts.together.chooseOne(name),
            })
      }
      <h3>
        ${words.kinds[kind]} ${href === undefined ? name : html`<a href="${href}">${name}</a>`}
      </h3>
      ${mode === undefined ? undefined : modeMark(mode, context)}
    </div>
    <div class="change">${change}</div>
    ${definitions([
      [texts.merchant, merchantId === undefined ? undefined : merchantName(merchantId, context)],
      [words.by, by === undefined ? undefined : who(by, context)],
      [texts.reason, reason],
      [texts.since, when(since, context)],
      [words.ends, ends ? when(ends, context) : words.untilDecided],
    ])}
    ${isPermitted(card, context.viewer) ? undefined : html`<p class="soft">${words.needsOther[kind]}</p>`}
    ${forms}
  </section>`;
}

/** The form that confirms all chosen proposals with one proof of presence. */
function together({ texts, viewer }: PageContext): Html {
  const { together: words, item } = texts;
  return html`<h2>${words.confirm}</h2>
    <p>${words.confirmText}</p>
    ${form(viewer, {
      action: '/portal/reviews/confirm-together',
      id: togetherId,
      submit: words.confirmButton,
      fields: [
        field({
          name: 'own_reason',
          label: item.confirmReason,
          hint: item.confirmReasonHint,
          maxLength: 500,
          autocomplete: 'off',
        }),
      ],
    })}`;
}

function cardsOf(
  waiting: Waiting,
  context: PageContext,
  moneyOf: ReadonlyMap<string, ShownMoney>,
): readonly Card[] {
  return [
    ...waiting.reviews.map((proposal) =>
      reviewCard(proposal, context, moneyOf.get(proposal.stream)),
    ),
    ...waiting.corrections.map((correction) => correctionCard(correction, context)),
    ...waiting.payouts.map((payout) => payoutCard(payout, context)),
    ...waiting.batches.map((batch) => batchCard(batch, context)),
    ...waiting.changes.map((change) => changeCard(change, context)),
  ];
}

function reviewCard(
  proposal: StoredReviewProposal,
  context: PageContext,
  of: ShownMoney | undefined,
): Card {
  const { texts, viewer } = context;
  const { id, stream, mode, proposedBy, reason, proposedAt } = proposal;
  const item = itemOf(stream);
  const mayDecide =
    item && permits(viewer.roles, 'reviews.decide') && !isViewer(proposedBy, viewer);
  return {
    kind: 'review',
    href: item && `${itemHref(item)}#proposal`,
    name: item?.key.reference ?? stream,
    change: reviewChange(proposal, texts, of),
    mode,
    merchantId: item?.key.merchantId,
    by: proposedBy,
    reason,
    since: proposedAt,
    ends: reviewProposalEnds(proposal),
    choice: mayDecide ? `${stream} ${id}` : undefined,
    forms: html`${
      mayDecide
        ? confirmForm(context, {
            action: `${itemHref(item)}/confirm`,
            submit: texts.item.confirm,
            fields: [hidden('proposal', id)],
          })
        : undefined
    }
    ${item && declineForms(proposal, item, context)}`,
  };
}

/** The money that a decision moves and the decision; then the amounts that were requested and received. */
function reviewChange(
  { decision, receipt, amountMinor }: StoredReviewProposal,
  texts: PageContext['texts'],
  of: ShownMoney | undefined,
): Html {
  const currency = of?.currency ?? railCurrency;
  const heldMinor = of?.heldMinor ?? null;
  const movedMinor = amountMinor ?? heldMinor ?? of?.requestedMinor;
  const amounts = definitions([
    [texts.item.askedFor, of && money(of.requestedMinor, currency)],
    [texts.item.arrived, heldMinor === null ? undefined : money(heldMinor, currency)],
    ...moneyRows(of?.posted, currency, texts),
    [texts.receipt, receipt ?? undefined],
  ]);
  return html`${movedMinor === undefined ? undefined : html`<b>${money(movedMinor, currency)}</b>, `}${decisionWord(decision, texts)}
  ${of || receipt !== null ? amounts : undefined}`;
}

function confirmForm(
  { viewer }: PageContext,
  of: { readonly action: string; readonly submit: string; readonly fields: readonly Html[] },
): Html {
  return form(viewer, { ...of, look: 'secondary' });
}

function correctionCard(correction: ListedCorrection, context: PageContext): Card {
  const { texts, viewer } = context;
  const { id, mode, merchantId, legs, currency, proposedBy, why, proposedAt } = correction;
  const isOwn = isViewer(proposedBy, viewer);
  const entries = listedLegs(legs);
  const mayDecide = permits(viewer.roles, 'corrections.decide') && !isOwn;
  return {
    kind: 'correction',
    href: correctionHref(correction),
    name: id.slice(0, 8),
    change: html`<b>${money(movedMinor(entries), currency)}</b>
      ${entries.map((leg) => html`<div>${legText(leg, currency, texts)}</div>`)}`,
    mode,
    merchantId,
    by: proposedBy,
    reason: why,
    since: new Date(proposedAt),
    ends: new Date(correctionEndsAt(proposedAt)),
    forms: mayDecide
      ? confirmForm(context, {
          action: `${correctionHref(correction)}/confirm`,
          fields: [],
          submit: texts.corrections.confirm,
        })
      : isOwn
        ? withdrawForm(correction, context)
        : undefined,
  };
}

function payoutCard(payout: UnsettledPayout, context: PageContext): Card {
  const { texts } = context;
  const { mode, merchantId, reference, amountMinor, currency, since } = payout;
  return {
    kind: 'payout',
    href: itemHref({ type: 'payout', key: { mode, merchantId, reference } }),
    name: reference,
    change: html`<b>${money(amountMinor, currency)}</b>, ${texts.waiting.payout}`,
    mode,
    merchantId,
    by: undefined,
    reason: texts.waiting.decidedByMerchant,
    since: new Date(since),
    ends: undefined,
    forms: merchantForms(context, {
      merchantId,
      mode,
      path: 'payouts',
      fields: [hidden('reference', reference), hidden('amount_minor', amountMinor.toString())],
    }),
  };
}

function batchCard(
  { key, count, amountMinor, currency, since }: UnsettledBatch,
  context: PageContext,
): Card {
  const { waiting: words } = context.texts;
  const { merchantId, mode, reference } = key;
  const isSummed = amountMinor !== null && currency !== null;
  return {
    kind: 'batch',
    href: undefined,
    name: reference,
    change: html`${isSummed ? html`<b>${money(amountMinor, currency)}</b>, ` : undefined}${words.batch(count)}`,
    mode,
    merchantId,
    by: undefined,
    reason: words.decidedByMerchant,
    since: new Date(since),
    ends: undefined,
    forms: isSummed
      ? merchantForms(context, {
          merchantId,
          mode,
          path: 'payouts/batches',
          fields: [
            ...[hidden('reference', reference), hidden('count', String(count))],
            hidden('amount_minor', amountMinor.toString()),
          ],
        })
      : undefined,
  };
}

/** Forms for a decision that belongs to the merchant's own people, if the viewer is one of them. */
function merchantForms(
  { texts, viewer }: PageContext,
  of: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly path: string;
    readonly fields: readonly Html[];
  },
): Html | undefined {
  if (!permits(viewer.roles, 'payouts.approve', of.merchantId)) return undefined;
  const decide = (verdict: 'approve' | 'reject') =>
    form(viewer, {
      action: merchantAddress(of, `/${of.path}/${verdict}`),
      submit: texts.waiting[verdict],
      look: 'secondary',
      fields: of.fields,
    });
  return html`<div class="buttons">${decide('approve')} ${decide('reject')}</div>`;
}

function changeCard(proposal: ShownProposal, context: PageContext): Card {
  const { id, mode, merchantId, reason, proposedBy, proposedAt, endsAt } = proposal;
  return {
    kind: 'proposal',
    href: undefined,
    name: id.slice(0, 8),
    change: changeList(proposal, context),
    mode,
    merchantId,
    by: proposedBy,
    reason,
    since: new Date(proposedAt),
    ends: new Date(endsAt),
    forms: permits(context.viewer.roles, 'proposals.decide')
      ? proposalForms(proposal, context)
      : undefined,
  };
}
