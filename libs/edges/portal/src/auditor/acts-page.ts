import { html, type Html } from '#shared/html';
import { type Act, actKinds, type ActsPage } from '#views/acts';
import { itemOf } from '#desk/operators';
import { correctionHref, itemHref, merchantName, when } from '../operator/page-context.js';
import { foldedFilters } from '../page/list-parts.js';
import { emptyState, errorSummary, field, form, nextPage, table } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type ActsForm, type ActsQuery, searchOfActs } from './acts-query.js';
import { type PageContext } from './page-context.js';
import { type Names, personWithName } from './person.js';

const base = '/portal/audit/people';

interface ActsModel {
  readonly query: ActsQuery;
  /** Undefined if the query is wrong. */
  readonly page: ActsPage | undefined;
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
  { acts, upTo, more }: ActsPage,
  typed: ActsForm,
  names: Names,
  context: PageContext,
): Html {
  const { words, texts } = context;
  const { people } = words;
  const last = acts.at(-1);
  const bound = searchOfActs(typed, { up_to: upTo.toString() });
  return html`${table({
      caption: people.caption,
      head: [texts.who, texts.what, people.about, texts.when, texts.reason],
      rows: acts.map((act) => [
        html`${act.people.map((id) => html`<div>${personWithName(id, names, context)}</div>`)}`,
        wordOf(act, context),
        aboutOf(act, context),
        when(act.recordedAt, context),
        act.reason ?? '',
      ]),
      empty: emptyState(people.empty, people.emptyTodo),
    })}
    ${nextPage(more && last ? `${base}?${searchOfActs(typed, { before: last.position.toString() })}` : undefined, people.earlier)}
    <p>
      ${people.upTo(upTo.toString())}
      <a href="${base}.csv?${bound}">CSV</a> · <a href="${base}.ndjson?${bound}">NDJSON</a>
    </p>`;
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
