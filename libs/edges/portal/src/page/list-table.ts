import { html, type Html } from '#shared/html';

/** A column of a list. */
export interface ListColumn {
  readonly text: string;
  /** The class of its cells, which places them in the card of a phone. */
  readonly style: string;
  /** True for the column whose cells are the rows' headings. */
  readonly isHeading?: true;
  /** True if the head is only for screen readers. */
  readonly isUnnamed?: true;
}

interface ListTable {
  readonly caption: string;
  /** The class of the list beside `list`, if it has a look of its own. */
  readonly look?: string;
  readonly columns: readonly ListColumn[];
  readonly rows: readonly (readonly (string | number | Html | undefined)[])[];
  /** Rows below the list, such as its total. */
  readonly foot?: Html | undefined;
}

/**
 * A list whose rows become cards of two lines on a phone. The roles are explicit, because browsers take the meaning of
 * a table away when its display changes.
 */
export function listTable({ caption, look = '', columns, rows, foot }: ListTable): Html {
  return html`<div class="scroll list ${look}" role="group" aria-label="${caption}" tabindex="0">
    <table role="table">
      <caption class="away">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(headCell)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (cells) =>
            html`<tr role="row">
              ${columns.map((column, index) => listCell(column, cells[index]))}
            </tr>`,
        )}
      </tbody>
      ${
        foot &&
        html`<tfoot role="rowgroup">
          ${foot}
        </tfoot>`
      }
    </table>
  </div>`;
}

function headCell({ text, style, isUnnamed }: ListColumn): Html {
  const shown = isUnnamed ? html`<span class="away">${text}</span>` : text;
  return html`<th scope="col" role="columnheader" class="${style}">${shown}</th>`;
}

function listCell(
  { style, isHeading }: ListColumn,
  content: string | number | Html | undefined,
): Html {
  return isHeading
    ? html`<th scope="row" role="rowheader" class="${style}">${content}</th>`
    : html`<td role="cell" class="${style}">${content}</td>`;
}
