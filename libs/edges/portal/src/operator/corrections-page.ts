import { correctionEndsAt, type CorrectionKey } from '#domain/corrections';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type listCorrections, type ListedCorrection } from '#views/balances';
import {
  emptyAction,
  definitions,
  emptyState,
  field,
  form,
  money,
  nextPage,
  notice,
  statusMark,
  table,
  time,
} from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { entriesTable, legText, listedLegs, movedMinor } from './entries.js';
import { type FoundCorrection } from './fact-rows.js';
import {
  command,
  correctionHref,
  isViewer,
  modeMark,
  type PageContext,
  merchantName,
  when,
  who,
} from './page-context.js';

type Listed = Awaited<ReturnType<typeof listCorrections>>;

export interface CorrectionsPage {
  readonly listed: Listed;
  readonly onlyOpen: boolean;
}

/** The page of the corrections, the newest first. */
export function correctionsPage(page: CorrectionsPage, context: PageContext): Html {
  const { texts, viewer } = context;
  const { listed, onlyOpen } = page;
  const { corrections: words } = texts;
  const last = listed.corrections.at(-1);
  const query = new URLSearchParams(onlyOpen ? { open: 'on' } : {});
  if (last) query.set('before', last.position.toString());
  return html`${form(viewer, {
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
    head: [
      words.proposed,
      texts.status,
      { text: texts.amount, isNumber: true },
      words.legs,
      texts.mode,
      texts.merchant,
      words.proposedBy,
    ],
    rows: listed.corrections.map((each) => row(each, context)),
    empty: emptyState(
      words.empty,
      permits(viewer.roles, 'corrections.decide')
        ? html`${words.emptyTodo} ${emptyAction('/portal/corrections/new', words.new)}`
        : words.emptyTodo,
    ),
  })}
  ${nextPage(listed.more ? `/portal/corrections?${query.toString()}` : undefined, textsOf(viewer).next)}`;
}

function row(each: ListedCorrection, context: PageContext) {
  const { texts } = context;
  const legs = listedLegs(each.legs);
  return [
    html`<a href="${correctionHref(each)}">${when(each.proposedAt, context)}</a>`,
    statusOf(each, context),
    money(movedMinor(legs), each.currency),
    html`${legs.map((leg) => html`<div>${legText(leg, each.currency, texts)}</div>`)}`,
    modeMark(each.mode, context),
    merchantName(each.merchantId, context),
    who(each.proposedBy, context),
  ];
}

function statusOf({ outcome, confirmedBy }: ListedCorrection, context: PageContext): Html {
  const { corrections: words } = context.texts;
  if (outcome !== null) return statusMark(outcome, words.ends[outcome], 'neutral');
  return confirmedBy === null
    ? statusMark('pending', words.waits)
    : html`${statusMark('posted', words.posted, 'good')}
        <div>${words.confirmedBy} ${who(confirmedBy, context)}</div>`;
}

/** The button that leads to the form of a correction, for people who may propose one. */
export function newCorrection({ texts, viewer }: PageContext): Html | undefined {
  return permits(viewer.roles, 'corrections.decide')
    ? html`<a class="button" href="/portal/corrections/new">${texts.corrections.new}</a>`
    : undefined;
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
    <p class="amount">${money(movedMinor(legs), currency)}</p>
    ${definitions([
      [
        texts.status,
        correction.status === 'posted'
          ? html`${statusMark('posted', words.posted, 'good')} ${words.confirmedBy}
            ${who(correction.confirmedBy, context)}`
          : waits
            ? statusMark('pending', words.waits)
            : statusMark(correction.outcome, words.ends[correction.outcome], 'neutral'),
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
    ${entriesTable(legs, currency, texts)}
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
