import { type Html, html } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { callsOf } from '../reference/calls.js';
import { callAddress, groupAddress, groupOf, guideGroups, referenceGroups } from './addresses.js';

export interface SidebarEntry {
  readonly address: string;
  readonly title: string;
  /** Further words by which the filter finds the entry. */
  readonly words?: string;
  /** The calls of a page of the reference. */
  readonly calls?: readonly SidebarCall[];
}

interface SidebarCall {
  readonly address: string;
  readonly title: string;
  readonly words: string;
  readonly method: string;
}

export interface SidebarGroup {
  readonly title: string;
  readonly entries: readonly SidebarEntry[];
}

/** Returns the groups of the sidebar: the guides, then the calls of the document. */
export function groupsOf(document: OpenApiDocument): readonly SidebarGroup[] {
  const entries = referenceGroups.map(({ name }) => ({
    address: groupAddress(name),
    title: name,
    calls: callsOf(document)
      .filter((call) => groupOf(call) === name)
      .map((call) => ({
        address: callAddress(call),
        title: shortTitleOf(call.operation),
        words: `${call.operation.summary} ${call.path}`,
        method: call.method,
      })),
  }));
  return [...guideGroups, { title: 'Reference', entries }];
}

/** The summary of a call without its explanation. */
export function titleOf({ summary }: { readonly summary: string }): string {
  return summary.split(':')[0] ?? summary;
}

/** The first words of a summary, for lists with little room: up to a comma, a colon or a clause. */
export function shortTitleOf({ summary }: { readonly summary: string }): string {
  return summary.split(/[:,]| that /)[0] ?? summary;
}

export function sidebar(groups: readonly SidebarGroup[], current: string): Html {
  return html`<nav class="sidebar" id="sidebar" popover aria-label="Documentation">
    <div class="filter" hidden>
      <label for="filter">Filter pages and calls</label>
      <input id="filter" type="search" autocomplete="off" spellcheck="false" />
      <p role="status"></p>
    </div>
    ${groups.map(
      ({ title, entries }) =>
        html`<section>
          <h2>${title}</h2>
          <ul>
            ${entries.map((entry) => entryItem(entry, current))}
          </ul>
        </section>`,
    )}
  </nav>`;
}

function entryItem(
  { address, title, words = '', calls = [] }: SidebarEntry,
  current: string,
): Html {
  return html`<li data-words="${words}">
    <a href="${address}" ${address === current ? html` aria-current="page"` : undefined}
      >${title}</a
    >
    ${
      calls.length === 0
        ? undefined
        : html`<ul class="calls">
            ${calls.map(
              (call) =>
                html`<li data-words="${call.words}">
                  <a href="${call.address}">${call.title} ${methodMark(call.method)}</a>
                </li>`,
            )}
          </ul>`
    }
  </li>`;
}

export function methodMark(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}
