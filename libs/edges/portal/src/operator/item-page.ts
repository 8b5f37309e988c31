import { needsTwoOperators } from '#domain/collections';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import {
  type Case,
  caseMoney,
  decisionsFor,
  type NextAction,
  openReviewCause,
  type PossibleDecision,
} from '#desk/operators';
import { askedMinor } from './bulk-choice.js';
import { arrivedMinor } from './fact-rows.js';
import { moneyRows } from './money-rows.js';
import { resolveCommand } from '#desk/words';
import {
  definitions,
  errorSummary,
  field,
  form,
  hidden,
  money,
  moneyText,
  notice,
  statusMark,
  time,
} from '../page/parts.js';
import { type FormErrors, seenOf } from './decision-form.js';
import {
  command,
  duration,
  itemHref,
  type PageContext,
  merchantName,
  modeMark,
  who,
} from './page-context.js';
import { proposalCard, rejectedNotice } from './proposal-card.js';
import { timelineList } from './timeline-list.js';
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

/**
 * The page of a collection or payout: its amount and status, the next actions, one decision, the timeline, and the
 * facts beside them.
 */
export function itemPage(page: ItemPage, context: PageContext): Html {
  const { texts } = context;
  const { refused, found } = page;
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
    ${refused && errorSummary(texts.problem, refused.fields)} ${headline(page, context)}
    <div class="split">
      <div>
        ${nextSteps(page, context)} ${decisions(page, context)}
        <h2>${texts.item.timeline}</h2>
        ${timelineList(page.entries, { ...context, type: found.type, currency: found.item.currency, channel: found.item.channel })}
      </div>
      <aside class="card" aria-label="${texts.details}">
        <h2>${texts.details}</h2>
        ${facts(page, context)} ${technical(page, context)}
      </aside>
    </div>`;
}

/** The amount that was asked for, the status in words, and the mode. */
function headline({ found, now }: ItemPage, context: PageContext): Html {
  const { texts, zone, viewer } = context;
  const { item, key, state, events, type } = found;
  const asked = type === 'payout' ? state.request : state.intent;
  const review = state.underReview ? openReviewCause(events) : undefined;
  const arrived = arrivedMinor(found);
  return html`<p class="amount">${money(arrived ?? asked.amountMinor, item.currency)}</p>
    ${arrived === undefined ? undefined : html`<p>${texts.item.arrived}. ${texts.item.askedFor}: ${money(asked.amountMinor, item.currency)}</p>`}
    <p class="marks">
      ${statusMark(item.status, texts.statuses[item.status])} ${modeMark(key.mode, context)}
      ${review && statusMark('under_review', texts.item.underReview)}
    </p>
    ${
      item.failure_code === null
        ? undefined
        : html`<p>${failureText({ ...item, code: item.failure_code, type }, viewer.language)}</p>`
    }
    ${
      review &&
      html`<p>
        ${texts.causes[review.why]}
        <span class="soft"
          >${texts.since} ${time(review.since, zone)}
          (${duration((now.getTime() - Date.parse(review.since)) / 1000, texts)})</span
        >
      </p>`
    }`;
}

function facts({ found }: ItemPage, context: PageContext): Html {
  const { texts, zone } = context;
  const { item, key } = found;
  return definitions([
    [texts.merchant, merchantName(key.merchantId, context)],
    [texts.item.account, item.account_no],
    ...(found.type === 'payout' ? payoutFacts(found, context) : collectionFacts(found, context)),
    [texts.receipt, item.receipt ?? undefined],
    [texts.item.createdAt, time(item.created_at, zone)],
    [texts.item.paidAt, item.paid_at === null ? undefined : time(item.paid_at, zone)],
    [
      texts.item.completedAt,
      item.completed_at === null ? undefined : time(item.completed_at, zone),
    ],
  ]);
}

/** Ids of other systems, and the command that proves the posting by the day's sealed head. */
function technical({ found }: ItemPage, { texts }: PageContext): Html {
  const { item, key } = found;
  const code = found.type === 'collection' ? found.state.intent.accountReference : undefined;
  return html`<details>
    <summary>${texts.technical}</summary>
    ${definitions([
      [texts.item.railReference, item.rail_reference ?? texts.none],
      [texts.item.statementCode, code],
      [texts.merchant, html`<code>${key.merchantId}</code>`],
      [texts.item.proof, proofCommand(found)],
    ])}
  </details>`;
}

type Pairs = readonly (readonly [string, string | Html | undefined])[];

function collectionFacts(
  { state, item }: Extract<Case, { type: 'collection' }>,
  context: PageContext,
): Pairs {
  const { item: words } = context.texts;
  const { currency } = item;
  return [
    [
      words.arrived,
      state.status === 'in_suspense' ? money(state.arrivedMinor, currency) : undefined,
    ],
    [words.posted, state.status === 'completed' ? money(state.postedMinor, currency) : undefined],
    [words.fee, state.status === 'completed' ? money(item.fee_minor, currency) : undefined],
    [words.phone, state.intent.phoneMasked],
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
    [words.fee, money(request.feeMinor, item.currency)],
    [words.phone, request.phoneMasked],
    [words.batch, request.batch],
    [words.requestedBy, who(request.holder, context)],
    [words.approvedBy, decider === undefined ? undefined : who(decider, context)],
    [words.rejectedBy, refuser === undefined ? undefined : who(refuser, context)],
  ];
}

/** The next steps. The decision card is on the page, so that step is not listed. */
function nextSteps(page: ItemPage, context: PageContext): Html | undefined {
  const steps = page.next.filter(({ code }) => code !== 'decides_review');
  if (steps.length === 0) return undefined;
  return html`<h2>${context.texts.item.next}</h2>
    <ul>
      ${steps.map((action) => html`<li>${nextLine(action, page, context)}</li>`)}
    </ul>`;
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

/** The pending proposal, and one form with the possible decisions. */
function decisions(page: ItemPage, context: PageContext): Html {
  const { found } = page;
  const { texts, viewer } = context;
  const mayDecide = permits(viewer.roles, 'reviews.decide');
  if (!found.state.underReview)
    return permits(viewer.roles, 'reviews.open') ? openForm(page, context) : html``;
  const possible = decisionsFor(found);
  const open = found.proposals.find(({ endedAt }) => endedAt === null);
  const content = html`${mayDecide ? undefined : notice('info', texts.item.decideNotYours)}
  ${possible.length === 0 ? notice('info', texts.item.decideNothing) : undefined}
  ${open && mayDecide && possible.length > 0 ? notice('warning', texts.item.replaces) : undefined}
  ${
    mayDecide && possible.length > 0
      ? decisionForm(possible, page, { ...context, isPrimary: open === undefined })
      : undefined
  }
  ${
    possible.length === 0
      ? undefined
      : html`<details>
          <summary>${texts.byCommand}</summary>
          ${possible.map((each) => html`<p>${command(resolveCommand(found, each))}</p>`)}
        </details>`
  }`;
  return html`${rejectedNotice(found, context)}
  ${open && proposalCard(open, found, { ...context, refused: page.refused })}
  ${open === undefined ? decideCard(content, texts) : otherwise(content, page, texts)}`;
}

function decideCard(content: Html, { item }: PageContext['texts']): Html {
  return html`<section class="card" id="decide" aria-labelledby="decide-title">
    <h2 id="decide-title">${item.decide}</h2>
    ${content}
  </section>`;
}

/** Beside an open proposal, the form for another one is folded, so that it is not taken for the confirmation. */
function otherwise(content: Html, { refused }: ItemPage, { item }: PageContext['texts']): Html {
  const isRefused = refused?.values.has('decision') === true;
  return html`<details class="card" id="decide" ${isRefused ? html`open` : undefined}>
    <summary>${item.decideOtherwise}</summary>
    ${content}
  </details>`;
}

/**
 * One form with the possible decisions as a choice, and one reason. The payment's fields count only with the decision
 * that they belong to, so no browser demands them; the server does.
 */
function decisionForm(
  possible: readonly PossibleDecision[],
  page: ItemPage,
  context: PageContext & { readonly isPrimary: boolean },
): Html {
  const { texts, viewer, isPrimary } = context;
  return form(viewer, {
    action: `${itemHref(page.found)}/resolve`,
    submit: texts.item.propose,
    ...(!isPrimary && { look: 'secondary' }),
    fields: [
      hidden('seen', seenOf(page.found)),
      html`<fieldset class="decisions">
        <legend class="away">${texts.item.decide}</legend>
        ${possible.map((each) => decisionChoice(each, page, context))}
      </fieldset>`,
      reasonField('reason', page, context),
    ],
  });
}

function decisionChoice(
  { decision, meaning, payment }: PossibleDecision,
  page: ItemPage,
  context: PageContext,
): Html {
  const { texts } = context;
  const { found, refused } = page;
  const twoOperators = found.type === 'payout' || needsTwoOperators(decision);
  const isChosen = refused?.values.get('decision') === decision;
  const id = `decision-${decision}`;
  return html`<div class="option">
    <label for="${id}"
      ><input
        type="radio"
        id="${id}"
        name="decision"
        value="${decision}"
        required
        ${isChosen ? html` checked` : undefined}
      />
      ${texts.decisions[decision]}</label
    >
    <p class="soft">
      ${texts.meanings[meaning]} ${twoOperators ? texts.item.twoOperators : texts.item.oneOperator}
    </p>
    ${choiceMoney({ decision, payment }, found, texts)}
    ${payment === 'none' ? undefined : html`<div class="with">${paymentFields(decision, page, { ...context, isRequired: false })}</div>`}
  </div>`;
}

/** The amount, the fee and the net amount of a choice. For a payment to be typed, those of the requested amount. */
function choiceMoney(
  { decision, payment }: Pick<PossibleDecision, 'decision' | 'payment'>,
  found: Case,
  texts: PageContext['texts'],
): Html | undefined {
  const { currency } = found.item;
  const namedMinor = payment === 'none' ? null : askedMinor(found);
  const posted = caseMoney(found, { decision, namedMinor });
  if (!posted) return undefined;
  const name = payment === 'none' ? texts.item.arrived : texts.item.askedFor;
  return html`<div class="posts">
    ${definitions([
      [name, moneyText(posted.amountMinor, currency)],
      ...moneyRows(posted, currency, texts),
    ])}
  </div>`;
}

function paymentFields(
  prefix: string,
  { found, refused }: ItemPage,
  { texts: { fields }, isRequired }: PageContext & { readonly isRequired: boolean },
): readonly Html[] {
  const wrong = (name: string): string | undefined =>
    refused?.fields.find(({ field: of }) => of === `${prefix}_${name}`)?.text;
  const said = (name: string): string | undefined =>
    refused?.values.get(`${prefix}_${name}`) ?? undefined;
  const own = found.type === 'payout' ? found.state.request.amountMinor.toString() : '';
  const common = { isRequired, autocomplete: 'off' };
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

function reasonField(name: string, { refused }: ItemPage, { texts }: PageContext): Html {
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
      look: 'secondary',
      fields: [
        hidden('seen', seenOf(page.found)),
        ...paymentFields('open', page, { ...context, isRequired: true }),
        reasonField('open_reason', page, context),
      ],
    })}
  </details>`;
}

/** The command that proves a posting by the day's sealed head. Anyone can check the proof without us. */
function proofCommand(found: Case): Html | undefined {
  const isPosted = found.events.some(({ type }) => type === 'WalletPosted');
  if (!isPosted) return undefined;
  const { merchantId, mode, reference } = found.key;
  const type = found.type === 'payout' ? ' --type payout' : '';
  return command(
    `npx pesapost audit prove ${reference}${type} --merchant ${merchantId} --mode ${mode} --out proof`,
  );
}
