import { type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';

/** A correction that takes postings back. */
interface TakenBack {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly currency: string;
  /** The postings' own legs; the correction has their opposites. */
  readonly legs: readonly Leg[];
  /** The stream of the item. */
  readonly corrects: string;
}

/** The address of the form of a correction, with the entries that take the postings back filled in (POR-26). */
export function correctionAddress({
  merchantId,
  mode,
  currency,
  legs,
  corrects,
}: TakenBack): string {
  const lines = legs.map(({ account, amountMinor }) => `${account}=${(-amountMinor).toString()}`);
  const fields = new URLSearchParams({
    correction_merchant: merchantId,
    correction_mode: mode,
    correction_currency: currency,
    correction_legs: lines.join('\n'),
    correction_corrects: corrects,
  });
  return `/portal/corrections/new?${fields.toString()}`;
}
