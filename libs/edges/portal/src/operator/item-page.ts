import { needsTwoOperators } from '#domain/collections';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import {
  type Case,
  decisionsFor,
  type NextAction,
  openReviewCause,
  type PossibleDecision,
} from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { confirmCommand, resolveCommand } from '#desk/words';
import {
  definitions,
  errorSummary,
  field,
  form,
  hidden,
  money,
  notice,
  statusMark,
  time,
} from '../page/parts.js';
import { type FormErrors, seenOf } from './decision-form.js';
import {
  command,
  decisionWord,
  duration,
  isViewer,
  itemHref,
  type PageContext,
  merchantName,
  who,
} from './page-context.js';
import { timelineTable } from './timeline-table.js';
import { type Entry } from './timeline.js';
import { failureText } from '../text/failures.js';

export interface ItemPage {
  readonly found: Case;
  readonly next: readonly NextAction[];
  readonly entries: readonly Entry[];
  readonly now: Date;
  /** Errors and values of the form that was sent. */
  readonly refused?: FormErrors | undefined;
}

/** The page of a collection or payout: its facts, the next actions, the possible decisions, and the whole timeline. */
export function itemPage(page: ItemPage, context: PageContext): Html {
  const { texts } = context;
  const { refused } = page;
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
    ${refused && errorSummary(texts.problem, refused.fields)} ${facts(page, context)}
    <h2>${texts.item.next}</h2>
    <ul>
      ${page.next.map((action) => html`<li>${nextLine(action, page, context)}</li>`)}
    </ul>
    ${decisions(page, context)}
    <h2>${texts.item.timeline}</h2>
    ${timelineTable(page.entries, { ...context, currency: page.found.item.currency })}
    ${proof(page.found, context)}`;
}

function facts({ found, now }: ItemPage, context: PageContext): Html {
  const { texts, zone } = context;
  const { item, key, state, events } = found;
  const review = state.underReview ? openReviewCause(events) : undefined;
  const failure =
    item.failure_code === null
      ? undefined
      : html`: ${failureText(item.failure_code, context.viewer.language)}`;
  return definitions([
    [texts.status, html`${statusMark(item.status)}${failure}`],
    [
      texts.item.underReview,
      review &&
        html`${texts.causes[review.why]} ${texts.since} ${time(review.since, zone)}
        (${duration((now.getTime() - Date.parse(review.since)) / 1000, texts)})`,
    ],
    [texts.merchant, html`${merchantName(key.merchantId, context)}, ${texts.modes[key.mode]}`],
    [texts.item.account, item.account_no],
    ...(found.type === 'payout' ? payoutFacts(found, context) : collectionFacts(found, context)),
    [texts.receipt, item.receipt ?? texts.none],
    [texts.item.railReference, item.rail_reference ?? texts.none],
    [texts.item.createdAt, time(item.created_at, zone)],
    [texts.item.paidAt, item.paid_at === null ? undefined : time(item.paid_at, zone)],
    [
      texts.item.completedAt,
      item.completed_at === null ? undefined : time(item.completed_at, zone),
    ],
  ]);
}

type Pairs = readonly (readonly [string, string | Html | undefined])[];

function collectionFacts(
  { state, item }: Extract<Case, { type: 'collection' }>,
  context: PageContext,
): Pairs {
  const { item: words } = context.texts;
  const { currency } = item;
  return [
    [words.askedFor, money(state.intent.amountMinor, currency)],
    [
      words.arrived,
      state.status === 'in_suspense' ? money(state.arrivedMinor, currency) : undefined,
    ],
    [words.posted, state.status === 'completed' ? money(state.postedMinor, currency) : undefined],
    [words.fee, state.status === 'completed' ? money(item.fee_minor, currency) : undefined],
    [words.phone, state.intent.phoneMasked],
    [words.statementCode, state.intent.accountReference],
  ];
}

function payoutFacts(
  { state, item }: Extract<Case, { type: 'payout' }>,
  context: PageContext,
): Pairs {
  const { item: words } = context.texts;
  const { request } = state;
  const decider = 'approvedBy' in state ? state.approvedBy : undefined;
  const refuser = state.status === 'rejected' ? state.rejectedBy : undefined;
  return [
    [words.askedFor, money(request.amountMinor, item.currency)],
    [words.fee, money(request.feeMinor, item.currency)],
    [words.phone, request.phoneMasked],
    [words.batch, request.batch],
    [words.requestedBy, who(request.holder, context)],
    [words.approvedBy, decider === undefined ? undefined : who(decider, context)],
    [words.rejectedBy, refuser === undefined ? undefined : who(refuser, context)],
  ];
}

function nextLine(
  { by, code, values = [], at }: NextAction,
  { now }: ItemPage,
  context: PageContext,
): Html {
  const { texts, zone } = context;
  const words: (...values: readonly (string | number)[]) => string = texts.next[code];
  const due = at !== undefined && Date.parse(at) < now.getTime() ? 'since' : 'from';
  return html`${texts.nextBy[by]}:
  ${words(...values)}${
    at === undefined ? undefined : html`, ${texts.nextDue[due]} ${time(at, zone)}`
  }`;
}

/** The pending proposal, and a form for each possible decision. */
function decisions(page: ItemPage, context: PageContext): Html {
  const { found } = page;
  const { texts, viewer } = context;
  const mayDecide = permits(viewer.roles, 'reviews.decide');
  if (!found.state.underReview)
    return permits(viewer.roles, 'reviews.open') ? openForm(page, context) : html``;
  const possible = decisionsFor(found);
  const open = found.proposals.find(({ endedAt }) => endedAt === null);
  return html`<h2 id="decide">${texts.item.decide}</h2>
    ${open && waitingProposal(open, page, { ...context, mayDecide })}
    ${mayDecide ? undefined : notice('info', texts.item.decideNotYours)}
    ${possible.length === 0 ? notice('info', texts.item.decideNothing) : undefined}
    ${open && mayDecide && possible.length > 0 ? notice('warning', texts.item.replaces) : undefined}
    ${mayDecide ? possible.map((decision) => decisionForm(decision, page, context)) : undefined}`;
}

function waitingProposal(
  proposal: StoredReviewProposal,
  page: ItemPage,
  context: PageContext & { readonly mayDecide: boolean },
): Html {
  const { found } = page;
  const { texts, zone, viewer, mayDecide } = context;
  const { item } = found;
  return html`<section aria-labelledby="proposal">
    <h3 id="proposal">${texts.item.waits}</h3>
    ${proposalFacts(proposal, item.currency, context)}
    ${
      isViewer(proposal.proposedBy, viewer)
        ? notice('info', texts.item.waitsForOther)
        : mayDecide
          ? form(viewer, {
              action: `${itemHref(found)}/confirm`,
              submit: texts.item.confirm,
              danger: true,
              fields: [
                hidden('proposal', proposal.id),
                field({
                  name: 'own_reason',
                  label: texts.item.confirmReason,
                  hint: texts.item.confirmReasonHint,
                  value: page.refused?.values.get('own_reason') ?? '',
                  maxLength: 500,
                  autocomplete: 'off',
                }),
              ],
            })
          : undefined
    }
    <p>${texts.byCommand}: ${command(confirmCommand(found, proposal.id))}</p>
    <p>${texts.since} ${time(proposal.proposedAt, zone)}</p>
  </section>`;
}

export function proposalFacts(
  proposal: StoredReviewProposal,
  currency: string,
  context: PageContext,
): Html {
  const { texts, zone } = context;
  const { decision, receipt, amountMinor, paidAt } = proposal;
  return definitions([
    [texts.waiting.change, decisionWord(decision, texts)],
    [texts.receipt, receipt ?? undefined],
    [texts.amount, amountMinor === null ? undefined : money(amountMinor, currency)],
    [texts.item.paidAt, paidAt === null ? undefined : time(paidAt, zone)],
    [texts.reason, proposal.reason],
    [texts.waiting.by, who(proposal.proposedBy, context)],
  ]);
}

/**
 * The form of one decision. Several are on one page, so the names of the fields contain the decision and no id occurs
 * twice.
 */
function decisionForm(possible: PossibleDecision, page: ItemPage, context: PageContext): Html {
  const { decision, meaning, payment } = possible;
  const { texts, viewer } = context;
  const twoOperators = page.found.type === 'payout' || needsTwoOperators(decision);
  return html`<section aria-labelledby="decision-${decision}">
    <h3 id="decision-${decision}">${texts.decisions[decision]}</h3>
    <p>
      ${texts.meanings[meaning]} ${twoOperators ? texts.item.twoOperators : texts.item.oneOperator}
    </p>
    ${form(viewer, {
      action: `${itemHref(page.found)}/resolve`,
      submit: twoOperators ? texts.item.propose : texts.item.decideNow,
      danger: !twoOperators,
      fields: [
        hidden('decision', decision),
        hidden('seen', seenOf(page.found)),
        ...(payment === 'none' ? [] : paymentFields(decision, page, context)),
        reasonField(decision, page, context),
      ],
    })}
    <p>${texts.byCommand}: ${command(resolveCommand(page.found, possible))}</p>
  </section>`;
}

function paymentFields(
  prefix: string,
  { found, refused }: ItemPage,
  context: PageContext,
): readonly Html[] {
  const { fields } = context.texts;
  const wrong = (name: string): string | undefined =>
    refused?.fields.find(({ field: of }) => of === `${prefix}_${name}`)?.text;
  const said = (name: string): string | undefined =>
    refused?.values.get(`${prefix}_${name}`) ?? undefined;
  const own = found.type === 'payout' ? found.state.request.amountMinor.toString() : '';
  const common = { isRequired: true, autocomplete: 'off' };
  return [
    field({
      name: `${prefix}_receipt`,
      label: fields.receipt,
      hint: fields.receiptHint,
      error: wrong('receipt'),
      value: said('receipt'),
      maxLength: 40,
      ...common,
    }),
    field({
      name: `${prefix}_amount`,
      label: fields.amount,
      hint: fields.amountHint,
      error: wrong('amount'),
      value: said('amount') ?? own,
      maxLength: 15,
      ...common,
    }),
    field({
      name: `${prefix}_paid_at`,
      label: fields.paidAt,
      hint: fields.paidAtHint,
      error: wrong('paid_at'),
      value: said('paid_at'),
      maxLength: 40,
      autocomplete: 'off',
    }),
  ];
}

function reasonField(prefix: string, { refused }: ItemPage, { texts }: PageContext): Html {
  const name = `${prefix}_reason`;
  return field({
    name,
    label: texts.fields.reason,
    hint: texts.fields.reasonHint,
    type: 'textarea',
    error: refused?.fields.find(({ field: of }) => of === name)?.text,
    value: refused?.values.get(name) ?? '',
    isRequired: true,
    maxLength: 500,
  });
}

/** The form with which an operator opens the review by a payment on the rail's statement, and proposes that it was paid. */
function openForm(page: ItemPage, context: PageContext): Html {
  const { texts, viewer } = context;
  return html`<details>
    <summary>${texts.item.open}</summary>
    <p>${texts.item.openText}</p>
    ${form(viewer, {
      action: `${itemHref(page.found)}/open-review`,
      submit: texts.item.openButton,
      fields: [
        hidden('seen', seenOf(page.found)),
        ...paymentFields('open', page, context),
        reasonField('open', page, context),
      ],
    })}
  </details>`;
}

/** The command that proves a posting by the day's sealed head. Anyone can check the proof without us. */
function proof(found: Case, { texts }: PageContext): Html | undefined {
  const isPosted = found.events.some(({ type }) => type === 'WalletPosted');
  if (!isPosted) return undefined;
  const { merchantId, mode, reference } = found.key;
  const type = found.type === 'payout' ? ' --type payout' : '';
  return html`<p>
    ${texts.item.proof}:
    ${command(`npx pesapost audit prove ${reference}${type} --merchant ${merchantId} --mode ${mode} --out proof`)}
  </p>`;
}
