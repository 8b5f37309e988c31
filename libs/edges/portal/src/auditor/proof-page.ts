import { type ProofOfStream, type ProvedPosting } from '#domain/audit';
import { html, type Html } from '#shared/html';
import { type Item } from '#desk/operators';
import { command, itemHref } from '../operator/page-context.js';
import { definitions, field, notice, shortId, table, time } from '../page/parts.js';
import { assets } from '../static/assets.js';
import { type PageContext } from './page-context.js';
import { queryOfItem } from './named-fields.js';

/**
 * The postings of a collection or payout with their places in the newest head. A person can check them on the page or
 * elsewhere.
 */
export function proofPage(
  item: Item,
  { postings, head }: ProofOfStream,
  context: PageContext,
): Html {
  const { proof, seals } = context.words;
  const file = `/portal/audit/proof.json?${queryOfItem(item)}`;
  const isSealed = head !== undefined && postings.every(({ inclusion }) => inclusion);
  return html`${definitions([
    [proof.reference, html`<a href="${itemHref(item)}">${item.key.reference}</a>`],
    [proof.merchant, shortId(item.key.merchantId)],
    [proof.head, head?.head.date ?? proof.noHead],
  ])}
  ${
    head &&
    html`<details>
      <summary>${context.texts.technical}</summary>
      ${definitions([
        [seals.root, html`<code>${head.head.root}</code>`],
        [seals.key, html`<code>${head.head.keyId}</code>`],
      ])}
    </details>`
  }
  ${postingsTable(postings, context)}
  ${postings.length === 0 ? undefined : html`<p><a class="button" href="${file}" download="proof.json">${proof.download}</a></p>`}
  ${isSealed && postings.length > 0 ? checks(file, context) : undefined}`;
}

function postingsTable(postings: readonly ProvedPosting[], { zone, words }: PageContext): Html {
  const { proof } = words;
  return table({
    caption: proof.posting,
    head: [proof.posting, proof.place, { text: proof.path, isNumber: true }, proof.leaf],
    rows: postings.map(({ posting, inclusion, sealedBy, leafHash }) => [
      posting.type,
      inclusion
        ? proof.at(inclusion.index, inclusion.treeSize)
        : html`${proof.notYet} ${sealedBy === undefined ? '' : time(sealedBy, zone)}`,
      inclusion?.path.length ?? '',
      shortId(leafHash),
    ]),
    empty: notice('info', proof.nothing),
  });
}

/** The check in the browser is hidden until its script runs. The way without it is always shown. */
function checks(file: string, { words: { proof } }: PageContext): Html {
  return html`<form id="check" hidden data-proof="${file}">
      <h2>${proof.check}</h2>
      <p>${proof.checkIntro}</p>
      ${field({
        name: 'trusted',
        label: proof.trusted,
        hint: proof.trustedHint,
        type: 'textarea',
        isRequired: true,
        maxLength: 2000,
      })}
      <div class="field"><button class="secondary">${proof.checkButton}</button></div>
      <div role="status" id="verdict" data-holds="${proof.holds}" data-fails="${proof.fails}"></div>
      <ul id="steps"></ul>
    </form>
    <h2>${proof.offline}</h2>
    <p>${proof.offlineText}</p>
    <p>${command('node verifier/verify.mjs proof.json proof.json public.pem')}</p>
    <script type="module" src="${assets().proof.address}"></script>`;
}
