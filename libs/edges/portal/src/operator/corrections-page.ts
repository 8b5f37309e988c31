import { correctionEndsAt, type CorrectionKey } from '#domain/corrections';
import { modes } from '#domain/kernel';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type listCorrections, type ListedCorrection } from '#views/balances';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  nextPage,
  notice,
  table,
  time,
} from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type FormErrors } from './decision-form.js';
import { type FoundCorrection } from './fact-rows.js';
import {
  command,
  correctionHref,
  isViewer,
  type PageContext,
  merchantName,
  when,
  who,
} from './page-context.js';

type Listed = Awaited<ReturnType<typeof listCorrections>>;

export interface CorrectionsPage {
  readonly listed: Listed;
  readonly onlyOpen: boolean;
  /** The id under which the form proposes the correction, so that sending it twice is safe. */
  readonly id: string;
  readonly refused?: FormErrors | undefined;
  /** Values of the form: as typed, or as a link fills them in. */
  readonly values?: URLSearchParams;
}

/** The page of the corrections, the newest first, with the form that proposes one. */
export function correctionsPage(page: CorrectionsPage, context: PageContext): Html {
  const { texts, viewer } = context;
  const { listed, onlyOpen, refused } = page;
  const { corrections: words } = texts;
  const last = listed.corrections.at(-1);
  const query = new URLSearchParams(onlyOpen ? { open: 'on' } : {});
  if (last) query.set('before', last.position.toString());
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
  ${refused && errorSummary(texts.problem, refused.fields)}
  ${form(viewer, {
    action: '/portal/corrections',
    method: 'get',
    submit: texts.filter,
    look: 'secondary',
    isRow: true,
    fields: [
      field({
        name: 'open',
        label: words.onlyOpen,
        type: 'checkbox',
        value: onlyOpen ? 'on' : '',
      }),
    ],
  })}
  ${table({
    caption: words.caption,
    head: [words.proposed, texts.status, words.proposedBy, words.legs, texts.mode, texts.merchant],
    rows: listed.corrections.map((each) => row(each, context)),
    empty: emptyState(words.empty, words.emptyTodo),
  })}
  ${nextPage(listed.more ? `/portal/corrections?${query.toString()}` : undefined, textsOf(viewer).next)}
  ${permits(viewer.roles, 'corrections.decide') ? proposeForm(page, context) : undefined}`;
}

function row(each: ListedCorrection, context: PageContext) {
  const { texts } = context;
  const { corrections: words } = texts;
  return [
    html`<a href="${correctionHref(each)}">${when(each.proposedAt, context)}</a>`,
    each.outcome === null
      ? each.confirmedBy === null
        ? words.waits
        : html`${words.confirmedBy} ${who(each.confirmedBy, context)}`
      : words.ends[each.outcome],
    who(each.proposedBy, context),
    html`${each.legs.map((leg) => html`<div><code>${leg}</code></div>`)}`,
    texts.modes[each.mode],
    merchantName(each.merchantId, context),
  ];
}

function proposeForm(
  { id, refused, values }: CorrectionsPage,
  { texts, viewer }: PageContext,
): Html {
  const { corrections: words, fields } = texts;
  const common = (name: string) => ({
    name,
    error: refused?.fields.find(({ field: of }) => of === name)?.text,
    value: values?.get(name) ?? undefined,
  });
  const own = (name: string) => ({ ...common(`correction_${name}`), autocomplete: 'off' });
  return html`<h2 id="propose">${words.propose}</h2>
    ${form(viewer, {
      action: '/portal/corrections',
      submit: words.proposeButton,
      fields: [
        hidden('id', id),
        field({ ...own('merchant'), label: words.merchantId, isRequired: true, maxLength: 64 }),
        field({
          ...own('mode'),
          label: texts.mode,
          options: modes.map((mode) => [mode, texts.modes[mode]] as const),
        }),
        field({
          ...own('currency'),
          label: words.currency,
          hint: words.currencyHint,
          isRequired: true,
          maxLength: 3,
        }),
        field({
          ...own('legs'),
          label: words.legsField,
          hint: words.legsHint,
          type: 'textarea',
          isRequired: true,
        }),
        field({
          ...own('corrects'),
          label: words.corrects,
          hint: words.correctsHint,
          maxLength: 200,
        }),
        field({
          ...own('receipt'),
          label: fields.receipt,
          hint: fields.receiptHint,
          maxLength: 40,
        }),
        field({ ...own('may_overdraw'), label: words.mayOverdraw, type: 'checkbox' }),
        field({
          ...own('reason'),
          label: fields.reason,
          hint: fields.reasonHint,
          type: 'textarea',
          isRequired: true,
          maxLength: 500,
        }),
      ],
    })}`;
}

export interface CorrectionPage extends FoundCorrection {
  readonly refused?: string | undefined;
}

/** The page of one correction from its own events, with the form that confirms it. */
export function correctionPage(page: CorrectionPage, context: PageContext): Html {
  const { key, correction, proposedAt, refused } = page;
  const { texts, viewer, zone } = context;
  const { corrections: words } = texts;
  const { proposal, status } = correction;
  const { currency, legs } = proposal;
  const waits = status === 'proposed';
  const isOwn = isViewer(proposal.proposedBy, viewer);
  return html`${refused === undefined ? undefined : notice('error', refused)}
  ${definitions([
    [
      texts.status,
      correction.status === 'posted'
        ? html`${words.confirmedBy} ${who(correction.confirmedBy, context)}`
        : waits
          ? words.waits
          : words.ends[correction.outcome],
    ],
    [
      texts.merchant,
      html`${merchantName(proposal.merchantId, context)}, ${texts.modes[proposal.mode]}`,
    ],
    [texts.reason, proposal.why],
    [words.corrects, proposal.corrects],
    [texts.receipt, proposal.receipt],
    [texts.item.account, proposal.mayOverdraw === true ? words.overdraws : undefined],
    [words.proposedBy, who(proposal.proposedBy, context)],
    [texts.since, time(proposedAt, zone)],
    [texts.waiting.ends, waits ? time(correctionEndsAt(proposedAt), zone) : undefined],
    [words.id, html`<code>${key.id}</code>`],
  ])}
  ${table({
    caption: words.legs,
    head: [texts.item.account, { text: texts.amount, isNumber: true }],
    rows: legs.map(({ account, amountMinor }) => [
      html`<code>${account}</code>`,
      money(amountMinor, currency),
    ]),
    empty: html``,
  })}
  ${waits && isOwn ? html`${notice('info', words.yours)} ${withdrawForm(key, context)}` : undefined}
  ${
    waits && !isOwn && permits(viewer.roles, 'corrections.decide')
      ? html`<h2>${words.confirm}</h2>
          <p>${words.confirmText}</p>
          ${form(viewer, {
            action: `${correctionHref(key)}/confirm`,
            submit: words.confirm,
            fields: [
              field({
                name: 'own_reason',
                label: texts.item.confirmReason,
                hint: texts.item.confirmReasonHint,
                maxLength: 500,
                autocomplete: 'off',
              }),
            ],
          })}`
      : undefined
  }
  ${
    waits
      ? html`<p>
          ${texts.byCommand}:
          ${command(`npx pesapost correction confirm ${key.id} --mode ${key.mode}`)}
        </p>`
      : undefined
  }`;
}

/** The form with which the proposer takes the correction back; nothing has moved. */
export function withdrawForm(key: CorrectionKey, { texts, viewer }: PageContext): Html | undefined {
  if (!permits(viewer.roles, 'corrections.decide')) return undefined;
  const action = `${correctionHref(key)}/withdraw`;
  return form(viewer, { action, submit: texts.corrections.withdraw, fields: [] });
}
