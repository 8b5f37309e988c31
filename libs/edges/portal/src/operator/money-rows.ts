import { type DecisionMoney } from '#desk/operators';
import { moneyText } from '../page/parts.js';
import { type OperatorTexts } from './operator-texts.js';

type Rows = readonly (readonly [string, string])[];

/**
 * The fee of a decision and the net amount for the wallet. The amount itself is a row of the item.
 * @returns no rows if the decision moves no money
 */
export function moneyRows(
  money: DecisionMoney | undefined,
  currency: string,
  { item, decisionMoney: words }: OperatorTexts,
): Rows {
  if (!money) return [];
  if (money.kind === 'fee_unknown') return [[item.fee, words.unknown]];
  if (!('feeMinor' in money)) return [[words.held, moneyText(money.amountMinor, currency)]];
  const { feeMinor, walletMinor } = money;
  return [
    [item.fee, moneyText(feeMinor, currency)],
    [words[money.kind], moneyText(walletMinor, currency)],
  ];
}

/** The rows in one sentence, for a list. */
export function moneySentence(
  money: DecisionMoney | undefined,
  currency: string,
  texts: OperatorTexts,
): string {
  const rows = moneyRows(money, currency, texts);
  return rows.map(([name, value]) => `${name}: ${value}`).join(', ');
}
