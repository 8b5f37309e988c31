import { collectionStream } from '#domain/collections';
import { collectionLegs } from '#domain/ledger';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { correctionAddress } from '../../page/correction-address.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';

/**
 * The address of the form of a correction that takes a completed collection back whole, with its legs filled in
 * (POR-26). The money itself goes back at the rail; the correction is the ledger's side of it.
 * @returns undefined for an item that is no completed collection
 */
export function refundAddress(
  { merchantId, mode }: Place,
  item: TransactionItem,
): string | undefined {
  if (item.type !== 'collection' || item.status !== 'completed') return undefined;
  const { currency, reference, amount_minor, fee_minor, account_no } = item;
  const legs = collectionLegs({
    rail: item.channel,
    accountNo: account_no,
    amountMinor: amount_minor,
    feeMinor: fee_minor,
  });
  const corrects = collectionStream({ merchantId, mode, reference });
  return correctionAddress({ merchantId, mode, currency, legs, corrects });
}

/** The action for people who decide corrections; the merchant's own people get a text of what to do. */
export function refundAction(
  place: Place,
  item: TransactionItem,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html | undefined {
  const address = refundAddress(place, item);
  if (address === undefined || !permits(viewer.roles, 'corrections.decide')) return undefined;
  return html`<a class="button secondary" href="${address}">${texts.item.refund}</a>`;
}
