import { html, type Html } from '#shared/html';
import { type ProposalAct } from '#records/reviews';
import { type Act, actKinds } from '#views/acts';
import { itemOf } from '#desk/operators';
import {
  correctionHref,
  decisionWord,
  itemHref,
  merchantName,
  when,
} from '../operator/page-context.js';
import { foldedFilters } from '../page/list-parts.js';
import { emptyState, errorSummary, field, form, nextPage, table } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type Activity, type ActivityPage } from './activity.js';
import { type ActsForm, type ActsQuery, searchAfter, searchOfActs } from './acts-query.js';
import { type PageContext } from './page-context.js';
import { type Names, personWithName } from './person.js';

const base = '/portal/audit/people';

interface ActsModel {
  readonly query: ActsQuery;
  /** Undefined if the query is wrong. */
  readonly page: ActivityPage | undefined;
  readonly names: Names;
}

/** The page that lists who did what, when, about what and why. */
export function actsPage({ query, page, names }: ActsModel, context: PageContext): Html {
  const { words, texts } = context;
  const { people } = words;
  const errors = query.wrong.map((wrong) => ({
    field: { days: 'from', kind: 'kind', position: 'person' }[wrong],
    text: people.wrong[wrong],
  }));
  return html`<p>${people.intro}</p>
    ${errorSummary(texts.problem, errors)} ${filter(query, context)}
    ${page ? shown(page, query.form, names, context) : undefined}`;
}

function filter({ form: typed, wrong }: ActsQuery, context: PageContext): Html {
  const { words, texts } = context;
  const { people } = words;
  const daysError = wrong.includes('days') ? people.wrong.days : undefined;
  const set = Object.values(typed).filter((value) => value !== '').length;
  const fields = form(context.viewer, {
    action: base,
    method: 'get',
    submit: texts.filter,
    look: 'secondary',
    isRow: true,
    fields: [
      field({
        name: 'person',
        label: people.person,
        hint: people.personHint,
        width: 'medium',
        value: typed.person,
        maxLength: 200,
        autocomplete: 'off',
      }),
      field({
        name: 'kind',
        label: people.kind,
        value: typed.kind,
        options: [
          ['', people.anyKind],
          ...actKinds.map((kind) => [kind, people.kinds[kind]] as const),
        ],
      }),
      field({
        name: 'merchant',
        label: words.proof.merchant,
        width: 'medium',
        value: typed.merchant,
        maxLength: 64,
        autocomplete: 'off',
      }),
      field({
        name: 'from',
        label: people.from,
        type: 'date',
        value: typed.from,
        error: daysError,
      }),
      field({ name: 'to', label: people.to, type: 'date', value: typed.to }),
    ],
  });
  return foldedFilters(fields, { label: texts.filters, set, isOpen: wrong.length > 0 });
}

function shown(
  { entries, upTo, next }: ActivityPage,
  typed: ActsForm,
  names: Names,
  context: PageContext,
): Html {
  const { words, texts } = context;
  const { people } = words;
  const bound = searchOfActs(typed, { up_to: upTo.toString() });
  return html`${table({
      caption: people.caption,
      head: [texts.who, texts.what, people.about, texts.when, texts.reason],
      rows: entries.map((entry) => rowOf(entry, names, context)),
      empty: emptyState(people.empty, people.emptyTodo),
    })}
    ${nextPage(next && `${base}?${searchAfter(typed, next)}`, people.earlier)}
    <p>
      ${people.upTo(upTo.toString())}
      <a href="${base}.csv?${bound}">CSV</a> · <a href="${base}.ndjson?${bound}">NDJSON</a>
    </p>
    <p class="soft">${people.filesOnly}</p>`;
}

function rowOf(entry: Activity, names: Names, context: PageContext): readonly (Html | string)[] {
  if (entry.kind === 'proposal') return proposalRow(entry.proposal, names, context);
  const { act } = entry;
  return [
    html`${act.people.map((id) => html`<div>${partOf(id, act, context)} ${personWithName(id, names, context)}</div>`)}`,
    wordOf(act, context),
    aboutOf(act, context),
    when(act.recordedAt, context),
    act.reason ?? '',
  ];
}

/** The part that a person had in an act of two people. */
function partOf(id: string, { details }: Act, { words }: PageContext): Html | undefined {
  const { proposedBy, confirmedBy } = details;
  if (typeof confirmedBy !== 'string' || typeof proposedBy !== 'string') return undefined;
  const { asked, confirmed } = words.people.parts;
  if (id === confirmedBy) return html`<span class="soft">${confirmed}</span>`;
  return id === proposedBy ? html`<span class="soft">${asked}</span>` : undefined;
}

/** A proposal of a review, its rejection or its withdrawal: no event, so that it has no position. */
function proposalRow(
  { type, by, stream, mode, decision, at, reason }: ProposalAct,
  names: Names,
  context: PageContext,
): readonly (Html | string)[] {
  const { words, texts } = context;
  const item = itemOf(stream);
  return [
    html`<div>${personWithName(by, names, context)}</div>`,
    words.people.withProposal[type](decisionWord(decision, texts)),
    html`<div>${item ? html`<a href="${itemHref(item)}">${item.key.reference}</a>` : stream}</div>
      <div>${texts.modes[mode]}</div>`,
    when(at, context),
    reason ?? '',
  ];
}

/** The act in the viewer's language. An event type of a later release has its own name. */
function wordOf({ type }: Act, { words }: PageContext): string {
  const did: Readonly<Record<string, string>> = words.people.did;
  return did[type] ?? type;
}

const itemStreams = /^(?:collection|payout)-/;
const correctionStream = /^correction-(live|demo):(.+)$/;

function aboutOf(act: Act, context: PageContext): Html {
  const told = Object.entries(act.details).flatMap(([name, value]) =>
    value === null || name === 'stream' || name === 'digest' ? [] : [`${name}: ${plain(value)}`],
  );
  return html`${subjectOf(act, context)}
    ${act.mode === null ? undefined : html`<div>${context.texts.modes[act.mode]}</div>`}
    <details class="more">
      <summary>${context.texts.details}</summary>
      <small>${[...told, `${context.words.people.position}: ${act.position}`].join('; ')}</small>
    </details>`;
}

/** The subject of the act: the item with a link to its page, or the person and role, or the merchant. */
function subjectOf({ stream, merchantId, details }: Act, context: PageContext): Html | undefined {
  const named = details['stream'];
  const item = itemOf(typeof named === 'string' ? named : stream);
  if (item && itemStreams.test(typeof named === 'string' ? named : stream))
    return html`<div><a href="${itemHref(item)}">${item.key.reference}</a></div>`;
  const [, mode, id] = correctionStream.exec(stream) ?? [];
  if (id !== undefined && (mode === 'live' || mode === 'demo'))
    return html`<div><a href="${correctionHref({ mode, id })}">…${id.slice(-6)}</a></div>`;
  const { role, name } = details;
  const roles: Readonly<Record<string, string>> = textsOf(context.viewer).roles;
  const granted =
    typeof role === 'string' && typeof name === 'string'
      ? html`<div>${name}: ${roles[role] ?? role}</div>`
      : undefined;
  const merchant =
    merchantId === null ? undefined : html`<div>${merchantName(merchantId, context)}</div>`;
  return html`${granted}${merchant}`;
}

/** Characters that fit into a cell; the file has the whole text. */
const maxShown = 120;

function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}
