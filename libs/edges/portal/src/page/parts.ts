import { decimalFromMinor, type Minor } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { formTokenField } from '../access/form-token.js';
import { type Viewer } from '../access/viewer.js';
import { type Icon, icon } from './icons.js';

/** Content of pages. Text is escaped, and Html is used as it is. */
type Content = string | number | Html | undefined;

interface Column {
  readonly text: string;
  /** Aligns the column to the right, so that digits are below digits. */
  readonly isNumber?: true;
}

interface Table {
  readonly caption: string;
  readonly head: readonly (string | Column)[];
  /** The first cell of each row is its heading. */
  readonly rows: readonly (readonly Content[])[];
  /** The row of totals, cell by cell. */
  readonly foot?: readonly Content[];
  /** Content shown if there are no rows; `emptyState` says what to do. */
  readonly empty: Html;
}

/**
 * A table. On a narrow screen each row is a card that names its cells by the head, so that no cell is cut off. The
 * roles are explicit, because browsers take the meaning of a table away when its display changes.
 */
export function table({ caption, head, rows, foot, empty }: Table): Html {
  if (rows.length === 0) return empty;
  const columns = head.map((column) => (typeof column === 'string' ? { text: column } : column));
  return html`<div class="scroll cards" role="group" aria-label="${caption}" tabindex="0">
    <table role="table">
      <caption>
        <span>${caption}</span>
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ text, ...column }) =>
            text === ''
              ? html`<td role="cell"></td>`
              : html`<th scope="col" role="columnheader" ${styleOf(column)}>${text}</th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((cells) => tableRow(cells, columns))}
      </tbody>
      ${
        foot &&
        html`<tfoot role="rowgroup">
          ${tableRow(foot, columns)}
        </tfoot>`
      }
    </table>
  </div>`;
}

function tableRow([first, ...others]: readonly Content[], columns: readonly Column[]): Html {
  return html`<tr role="row">
    <th scope="row" role="rowheader" ${styleOf(columns[0])}>${first}</th>
    ${others.map((cell, index) => tableCell(cell, columns[index + 1]))}
  </tr>`;
}

function styleOf(column: Omit<Column, 'text'> | undefined): Html | undefined {
  return column?.isNumber ? html` class="number"` : undefined;
}

/** A cell with the head of its column. An empty one has no place in a card. */
function tableCell(content: Content, column: Column | undefined): Html {
  const isEmpty = content === undefined || content === '';
  const head = isEmpty ? undefined : html` data-head="${column?.text ?? ''}"`;
  // In a card the content is one element beside its head, however many parts it has.
  const shown = typeof content === 'object' ? html`<div>${content}</div>` : content;
  return html`<td role="cell" ${head}${styleOf(column)}>${shown}</td>`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are cached, because making one takes a millisecond. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const digits = '2-digit';
  const day = { year: 'numeric', month: digits, day: digits } as const;
  const clock = { hour: digits, minute: digits, second: digits, hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-KE', {
    ...day,
    ...clock,
    timeZone: zone,
    timeZoneName: 'short',
  });
  formats.set(zone, format);
  return format;
}

/** An instant by the wall clock of a zone, with the zone's name: `2026-11-22 17:50:03 EAT`. */
export function time(instant: string | Date, zone: string): Html {
  const date = typeof instant === 'string' ? new Date(instant) : instant;
  return html`<time datetime="${date.toISOString()}">${timeText(date, zone)}</time>`;
}

/** The text of `time` without markup. */
export function timeText(date: Date, zone: string): string {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const day = `${of('year')}-${of('month')}-${of('day')}`;
  const clock = `${of('hour')}:${of('minute')}:${of('second')}`;
  return `${day} ${clock} ${of('timeZoneName')}`;
}

/** An id by its last six characters. The whole id is one click away, without a script as well. */
export function shortId(id: string): Html {
  if (id.length <= 8) return html`<code>${id}</code>`;
  return html`<details class="id">
    <summary>…${id.slice(-6)}</summary>
    <code>${id}</code>
  </details>`;
}

/** An amount: `KES 1,234.50`. */
export function money(minor: Minor, currency: string): Html {
  return html`<span class="money">${moneyText(minor, currency)}</span>`;
}

/** The text of `money` without markup. */
export function moneyText(minor: Minor, currency: string): string {
  const [whole = '', decimals = ''] = decimalFromMinor(minor).split('.');
  const grouped = whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',').replace('-', '−');
  return `${currency} ${grouped}.${decimals}`;
}

/** Names and values. A pair without a value is left out. */
export function definitions(pairs: readonly (readonly [string, Content])[]): Html {
  return html`<dl>
    ${pairs.map(([name, value]) =>
      value === undefined
        ? html``
        : html`<dt>${name}</dt>
            <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Kinds of status. Each has an icon, so that no one needs to see its colour. */
export type StatusKind = 'good' | 'bad' | 'waiting' | 'info' | 'neutral';

const kindOf: Readonly<Record<string, StatusKind>> = {
  completed: 'good',
  matched: 'good',
  ok: 'good',
  delivered: 'good',
  active: 'good',
  failed: 'bad',
  rejected: 'bad',
  down: 'bad',
  revoked: 'bad',
  disabled: 'bad',
  pending: 'waiting',
  pending_approval: 'waiting',
  under_review: 'waiting',
  late: 'waiting',
};

/**
 * A status as a badge: a word with an icon.
 * @param word the word in the viewer's language, if it differs from the status
 * @param kind the kind, if the status does not imply it
 */
export function statusMark(
  status: string,
  word: string = status.replaceAll('_', ' '),
  kind: StatusKind = kindOf[status] ?? 'neutral',
): Html {
  return html`<span class="badge ${kind}">${icon(kind)} ${word}</span>`;
}

/** The message of an empty list, and what to do. @param sign the icon of what the list would contain */
export function emptyState(text: string, todo: Content, sign: Icon = 'info'): Html {
  return html`<div class="empty">
    ${icon(sign)}
    <p><strong>${text}</strong></p>
    <p>${todo}</p>
  </div>`;
}

/** The one action of an empty list, on a line of its own. */
export function emptyAction(href: string, text: string): Html {
  return html`<span class="do"><a class="button secondary" href="${href}">${text}</a></span>`;
}

const signs = { info: 'info', done: 'good', warning: 'errors', error: 'bad' } as const;

/** A tab in a list of tabs; each is an address. */
export function tabLink(text: string, href: string, isCurrent: boolean): Html {
  return html`<li>
    <a href="${href}" ${isCurrent ? html` aria-current="page"` : undefined}>${text}</a>
  </li>`;
}

/**
 * A line about the page. Screen readers read it when it appears if it reports success (role=status), and at once if it
 * reports an error (role=alert).
 */
export function notice(kind: keyof typeof signs, text: Content): Html {
  const role = { info: 'note', done: 'status', warning: 'note', error: 'alert' }[kind];
  return html`<div class="notice notice-${kind}" role="${role}">
    ${icon(signs[kind])}
    <div><p>${text}</p></div>
  </div>`;
}

/** The errors of a form, above it and with the focus. Each line links to its field. */
export function errorSummary(
  title: string,
  errors: readonly { readonly field: string; readonly text: string }[],
): Html | undefined {
  if (errors.length === 0) return undefined;
  return html`<div class="notice notice-error" role="alert" tabindex="-1" autofocus>
    ${icon(signs.error)}
    <div>
      <p><b>${title}</b></p>
      <ul>
        ${errors.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}
      </ul>
    </div>
  </div>`;
}

interface Form {
  /** The address to which it is posted. GET forms (filters) set `method`. */
  readonly action: string;
  readonly method?: 'get' | 'post';
  readonly submit: string;
  readonly fields: readonly Html[];
  /** True if the action cannot be undone. */
  readonly danger?: boolean;
  /** The button's look if it is not the page's primary action. */
  readonly look?: 'secondary' | 'plain';
  /** The id by which fields elsewhere on the page belong to the form. */
  readonly id?: string;
  /** True if a file is sent with it; its route reads the body itself (`StreamsBody`, `assertForm`). */
  readonly hasFile?: boolean;
  /** True to put the fields on one line if there is room, as in filters. */
  readonly isRow?: boolean;
  /** A link beside the button, such as "Cancel". */
  readonly beside?: Html;
}

/** A form with the session's token. */
export function form({ formToken }: Pick<Viewer, 'formToken'>, form: Form): Html {
  const { action, method = 'post', submit, fields, danger, id, hasFile, isRow, beside } = form;
  const look = danger ? 'danger' : form.look;
  return html`<form method="${method}" action="${action}"${id === undefined ? undefined : html` id="${id}"`}${hasFile ? html` enctype="multipart/form-data"` : undefined}${isRow ? html` class="row"` : undefined}>
    ${method === 'post' ? hidden(formTokenField, formToken) : undefined}
    ${fields}
    <div class="field${beside ? ' buttons' : ''}"><button${look === undefined ? undefined : html` class="${look}"`}>${submit}</button>${beside}</div>
  </form>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

interface Field {
  readonly name: string;
  /** Unique on the page; the name by default. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly value?: string | undefined;
  readonly type?:
    'text' | 'number' | 'date' | 'search' | 'file' | 'checkbox' | 'textarea' | 'url' | 'email';
  /** Values and their words, which make the field a choice. */
  readonly options?: readonly (readonly [value: string, word: string])[];
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly autocomplete?: string;
  /** For a value that is shorter than the form is wide: an id, or an amount. */
  readonly width?: 'medium' | 'short';
  /** Shown in front of the value, such as its currency; the hint or label says it too. */
  readonly prefix?: string | undefined;
}

/** A field with its label, its hint and its error, tied together for screen readers. */
export function field(field: Field): Html {
  const { name, id = name, label, hint, error, type = 'text' } = field;
  const told = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  const describedBy = told.filter((id) => id !== false).join(' ');
  const attributes = html` id="${id}"
  name="${name}"${describedBy === '' ? undefined : html` aria-describedby="${describedBy}"`}${error === undefined ? undefined : html` aria-invalid="true"`}${field.isRequired ? html` required` : undefined}${field.maxLength === undefined ? undefined : html` maxlength="${field.maxLength}"`}${field.autocomplete === undefined ? undefined : html` autocomplete="${field.autocomplete}"`}`;
  const labelled = html`<label for="${id}">${label}</label>`;
  const notes = html`${hint === undefined ? undefined : html`<p class="hint" id="${id}-hint">${hint}</p>`}${error === undefined ? undefined : html`<p class="wrong" id="${id}-error">${error}</p>`}`;
  if (type === 'checkbox')
    return html`<div class="field">
      ${notes}
      <div class="tick">
        <input
          type="checkbox"
          value="on"
          ${attributes}${field.value === 'on' ? html` checked` : undefined}
        />${labelled}
      </div>
    </div>`;
  return html`<div class="field${field.width === undefined ? '' : ` ${field.width}`}">
    ${labelled}${notes}${prefixed(field, control(field, attributes))}
  </div>`;
}

function prefixed({ prefix }: Field, content: Html): Html {
  if (prefix === undefined) return content;
  return html`<div class="prefixed"><span aria-hidden="true">${prefix}</span>${content}</div>`;
}

function control({ type = 'text', options, value = '' }: Field, attributes: Html): Html {
  if (options)
    return html`<select${attributes}>
      ${options.map(([option, word]) => html`<option value="${option}" ${option === value ? html` selected` : undefined}>${word}</option>`)}
    </select>`;
  // A line break right after the tag is not part of the text, so this one keeps a line break of the text's own.
  if (type === 'textarea') return html`<textarea rows="4" ${attributes}>${value}</textarea>`;
  if (type === 'file') return html`<input type="file" ${attributes} />`;
  return html`<input type="${type}" value="${value}" ${attributes} />`;
}

/** The link to the next page of a list. */
export function nextPage(href: string | undefined, text: string): Html | undefined {
  return href === undefined ? undefined : html`<p><a href="${href}" rel="next">${text}</a></p>`;
}

/** The checkbox that chooses one item of several; the form with that id is elsewhere on the page. */
export function choice(
  formId: string,
  { name, value, label }: { readonly name: string; readonly value: string; readonly label: string },
): Html {
  return html`<label class="choice"
    ><input
      type="checkbox"
      form="${formId}"
      name="${name}"
      value="${value}"
      aria-label="${label}"
      autocomplete="off"
  /></label>`;
}
