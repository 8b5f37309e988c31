import { brandMark, html, type Html } from '#shared/html';
import { type ItemReceipt, type TransactionItem } from '#views/transactions';
import { exactTime, shortDay, type WallClock, zoneAt } from '../../page/list-parts.js';
import { definitions, money, statusMark } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { modeMark } from '../payouts/ask-page.js';
import { type Place } from '../place.js';

export interface ReceiptModel {
  readonly place: Place;
  readonly clock: WallClock;
  /** Completed. */
  readonly item: TransactionItem;
  /** The masked number of the customer. */
  readonly phone: string | undefined;
  /** Undefined if the records or views cannot answer at the moment. */
  readonly proof: ItemReceipt | undefined;
}

/** Characters of an entry's hash that paper shows. The file has all of it. */
const shownOfHash = 12;

/** The receipt of one payment as a card, which is all that a printer gets of the page. */
export function receiptPage(
  { place, clock, item, phone, proof }: ReceiptModel,
  texts: MerchantTexts,
): Html {
  const { common, item: words, payouts } = texts;
  const { receipt } = words;
  const at = item.paid_at ?? item.completed_at;
  return html`<article class="card paper" aria-label="${receipt.of(item.reference)}">
    <header>
      <p class="shop">${place.name}</p>
      <p class="soft">${receipt.kinds[item.type]}</p>
    </header>
    <p class="amount">${money(item.amount_minor, item.currency)}</p>
    <p>${statusMark('completed', receipt.paid)}</p>
    ${definitions([
      [receipt.phones[item.type], phone],
      [common.reference, item.reference],
      [receipt.mpesa, item.receipt === null ? undefined : html`<code>${item.receipt}</code>`],
      [
        receipt.date,
        at === null ? undefined : html`${exactTime(at, clock)} ${zoneAt(at, clock.timezone)}`,
      ],
      [payouts.mode, modeMark(place, texts)],
      [words.state, proofLine(proof, clock, texts)],
    ])}
    <footer class="soft">${brandMark} <span>${receipt.by}</span></footer>
  </article>`;
}

/** The entry that posted the money, and the day whose seal proves it. */
function proofLine(
  proof: ItemReceipt | undefined,
  clock: WallClock,
  { item: { receipt } }: MerchantTexts,
): string {
  const entry = proof?.postings.at(-1);
  if (!proof || !entry) return receipt.noProof;
  // Paper outlives the year, so the day has it.
  const day = (date: string): string => shortDay(date, { today: '', language: clock.language });
  const hash = entry.leaf_hash.slice(0, shownOfHash);
  return entry.proof && proof.head
    ? receipt.sealed(hash, day(proof.head.head.date))
    : receipt.notSealed(hash);
}
