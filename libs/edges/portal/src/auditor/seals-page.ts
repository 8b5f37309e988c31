import { type SealedHead } from '#domain/audit';
import { html, type Html } from '#shared/html';
import { command, pageSize } from '../operator/page-context.js';
import { definitions, emptyState, nextPage, notice, shortId, table } from '../page/parts.js';
import { type PageContext } from './page-context.js';

/** The sealed days, the newest head, and the way to check them. */
export function sealsPage(
  heads: readonly SealedHead[],
  before: string | undefined,
  context: PageContext,
): Html {
  const { seals, places } = context.words;
  const newest = heads.at(-1);
  return html`<p>${seals.intro}</p>
    ${days(heads, before, context)}
    <p><a class="button secondary" href="/portal/audit/proof">${places.proof}</a></p>
    ${newest && before === undefined ? newestHead(newest, context) : undefined}
    <details>
      <summary>${seals.checks}</summary>
      <p>${seals.checksText}</p>
      <p>${command('npx pesapost audit check --key public.pem')}</p>
      ${heads.length > 0 ? undefined : html`<p>${seals.setUp}</p>`}
    </details>`;
}

function newestHead({ head }: SealedHead, { texts, words: { seals } }: PageContext): Html {
  return html`<h2>${seals.newest}</h2>
    ${definitions([
      [seals.date, `${head.date} (${head.timezone})`],
      [seals.postings, head.treeSize],
      [seals.events, head.historySize],
    ])}
    <details>
      <summary>${texts.technical}</summary>
      ${definitions([
        [seals.root, html`<code>${head.root}</code>`],
        [seals.historyRoot, html`<code>${head.historyRoot}</code>`],
        [seals.key, html`<code>${head.keyId}</code>`],
      ])}
    </details>
    ${notice('info', seals.trust)}`;
}

function days(
  heads: readonly SealedHead[],
  before: string | undefined,
  context: PageContext,
): Html {
  const { seals } = context.words;
  const listed = heads.filter(({ head }) => before === undefined || head.date < before).reverse();
  const shown = listed.slice(0, pageSize);
  const last = listed.length > pageSize ? shown.at(-1)?.head.date : undefined;
  return html`${table({
    caption: seals.days,
    head: [
      seals.date,
      { text: seals.postings, isNumber: true },
      { text: seals.events, isNumber: true },
      seals.root,
      seals.key,
    ],
    rows: shown.map(({ head }) => [
      head.date,
      head.treeSize,
      head.historySize,
      shortId(head.root),
      shortId(head.keyId),
    ]),
    empty: emptyState(seals.empty, seals.emptyTodo),
  })}
  ${nextPage(last && `/portal/audit?before=${last}`, seals.earlier)}`;
}
