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
 * (POR-26). It is for money that somebody sent back at the rail by hand; the correction is the ledger's side of it.
 * @returns undefined for an item that is no completed collection, or that has a refund of its own
 */
export function correctionByHand(
  { merchantId, mode }: Place,
  item: TransactionItem,
): string | undefined {
  if (item.type !== 'collection' || item.status !== 'completed') return undefined;
  if (item.refund_status !== undefined) return undefined;
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

/** The action for people who decide corrections. Its name says that it moves no money at the rail. */
export function correctByHandAction(
  place: Place,
  item: TransactionItem,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html | undefined {
  const address = correctionByHand(place, item);
  if (address === undefined || !permits(viewer.roles, 'corrections.decide')) return undefined;
  return html`<a class="button secondary" href="${address}">${texts.refunds.correct}</a>`;
}
