import { type ProofOfStream, type ProvedPosting } from '#domain/audit';
import { html, type Html } from '#shared/html';
import { type Item } from '#desk/operators';
import { command, itemHref, merchantName, modeMark } from '../operator/page-context.js';
import { definitions, field, notice, shortId, statusMark, table, time } from '../page/parts.js';
import { assets } from '../static/assets.js';
import { type PageContext } from './page-context.js';
import { queryOfItem } from './named-fields.js';

/** A proof of an item, with the item's amount if it is known. */
type Proof = ProofOfStream & { readonly amount?: string };

/**
 * The answer first: if the payment is sealed, on which day, and its amount. The tree and the hashes are folded. A person
 * can check the proof on the page or elsewhere.
 */
export function proofPage(item: Item, proved: Proof, context: PageContext): Html {
  const { proof } = context.words;
  const { postings, head, amount } = proved;
  const file = `/portal/audit/proof.json?${queryOfItem(item)}`;
  const isSealed =
    head !== undefined && postings.length > 0 && postings.every(({ inclusion }) => inclusion);
  return html`<p>${answer(proved, isSealed, context)}</p>
    ${amount === undefined ? undefined : html`<p class="amount">${amount}</p>`}
    ${definitions([
      [proof.reference, html`<a href="${itemHref(item)}">${item.key.reference}</a>`],
      [context.texts.merchant, merchantName(item.key.merchantId, context)],
      [context.texts.mode, modeMark(item.key.mode, context)],
    ])}
    ${postings.length === 0 ? undefined : html`<p><a class="button" href="${file}" download="proof.json">${proof.download}</a></p>`}
    ${technical(proved, context)} ${isSealed ? checks(file, context) : undefined}`;
}

/** One badge: sealed on a day and verified, expected by a time, or nothing to seal. */
function answer(
  { postings, head }: Proof,
  isSealed: boolean,
  { words: { proof }, zone }: PageContext,
): Html {
  if (postings.length === 0) return statusMark('none', proof.nothing, 'neutral');
  if (isSealed && head) return statusMark('sealed', proof.sealedOn(head.head.date), 'good');
  const expected = postings.find(({ inclusion }) => !inclusion)?.sealedBy;
  return html`${statusMark('open', proof.noHead, 'waiting')}
  ${expected === undefined ? undefined : html`${proof.expected} ${time(expected, zone)}`}`;
}

function technical({ postings, head }: Proof, context: PageContext): Html {
  const { seals } = context.words;
  return html`<details>
    <summary>${context.texts.technical}</summary>
    ${
      head &&
      definitions([
        [seals.root, html`<code>${head.head.root}</code>`],
        [seals.key, html`<code>${head.head.keyId}</code>`],
      ])
    }
    ${postingsTable(postings, context)}
  </details>`;
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
