import { type Minor } from '#domain/kernel';
import { readLeg } from '#desk/operators';
import { type Leg } from '#domain/ledger';
import { railNameOf } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { figure } from '../page/list-parts.js';
import { moneyText, table } from '../page/parts.js';
import { type OperatorTexts } from './operator-texts.js';

/** An account of the ledger in the viewer's language, with the name that the command line uses in `code`. */
export function accountWord(account: string, { corrections: words }: OperatorTexts): string {
  const [kind = '', name = ''] = account.split(':');
  if (kind === 'wallet') return words.accounts.wallet(name);
  if (kind === 'rail-clearing') return words.accounts.clearing(railNameOf(name));
  if (kind === 'bank-settlement') return words.accounts.bank(railNameOf(name));
  if (kind === 'fees') return words.accounts.fees;
  return kind === 'suspense' ? words.accounts.suspense : account;
}

/** The legs of a listed correction, each of which is `account=minor units`. */
export function listedLegs(legs: readonly string[]): readonly Leg[] {
  return legs.flatMap((text) => {
    const leg = readLeg(text);
    return leg.ok ? [leg.value] : [];
  });
}

/** The money that the legs move: the sum of their credits. */
export function movedMinor(legs: readonly Leg[]): Minor {
  return sumOf(legs.filter(({ amountMinor }) => amountMinor > 0n));
}

/** The sum of the legs' debits, as a positive amount. */
export function debitedMinor(legs: readonly Leg[]): Minor {
  return -sumOf(legs.filter(({ amountMinor }) => amountMinor < 0n));
}

function sumOf(legs: readonly Leg[]): Minor {
  return legs.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** One leg in a line: `Wallet 1000000001: debit KES 98.50`. */
export function legText({ account, amountMinor }: Leg, currency: string, texts: OperatorTexts) {
  return `${accountWord(account, texts)}: ${sideText(amountMinor, currency, texts)}`;
}

/** The side of a leg and its amount: `Debit KES 98.50`. */
export function sideText(
  amountMinor: Minor,
  currency: string,
  { corrections: words }: OperatorTexts,
): string {
  return amountMinor < 0n
    ? `${words.debit} ${moneyText(-amountMinor, currency)}`
    : `${words.credit} ${moneyText(amountMinor, currency)}`;
}

/** The ledger entries of a correction, with the sums of both sides. */
export function entriesTable(legs: readonly Leg[], currency: string, texts: OperatorTexts): Html {
  const { corrections: words } = texts;
  const shown = (minor: Minor): Html | string => (minor === 0n ? '' : figure(minor));
  return table({
    caption: words.legs,
    head: [
      texts.item.account,
      { text: `${words.debit} (${currency})`, isNumber: true },
      { text: `${words.credit} (${currency})`, isNumber: true },
    ],
    rows: legs.map(({ account, amountMinor }) => [
      accountWord(account, texts),
      shown(amountMinor < 0n ? -amountMinor : 0n),
      shown(amountMinor > 0n ? amountMinor : 0n),
    ]),
    foot: [words.total, figure(debitedMinor(legs)), figure(movedMinor(legs))],
    empty: html``,
  });
}
