import { isMode } from '#domain/kernel';
import { type Html } from '#shared/html';
import { type Item, itemTypes, type Named, type NotOne } from '#desk/operators';
import { field } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type PageContext } from './page-context.js';

/** The collection or payout that a form names. The reference is empty if the form names none. */
export function namedIn(form: URLSearchParams): Named {
  const text = (name: string): string => (form.get(name) ?? '').trim().slice(0, 200);
  const [merchant, mode] = [text('merchant'), text('mode')];
  const type = itemTypes.find((each) => each === text('type'));
  return {
    reference: text('reference'),
    ...(merchant !== '' && { merchant }),
    ...(isMode(mode) && { mode }),
    ...(type && { type }),
  };
}

export function namedFields(
  { reference, merchant, mode, type }: Named,
  { texts, words, viewer }: PageContext,
): readonly Html[] {
  const { proof } = words;
  const choice = (name: string, label: string, value: string, options: object): Html =>
    field({
      name,
      label,
      value,
      options: [['', proof.any], ...(Object.entries(options) as [string, string][])],
    });
  return [
    field({
      name: 'reference',
      label: proof.reference,
      hint: proof.referenceHint,
      value: reference,
      width: 'medium',
      isRequired: true,
      maxLength: 200,
      autocomplete: 'off',
    }),
    field({
      name: 'merchant',
      label: `${proof.merchant} (${textsOf(viewer).optional})`,
      width: 'medium',
      hint: proof.merchantHint,
      value: merchant,
      maxLength: 64,
      autocomplete: 'off',
    }),
    choice('mode', texts.mode, mode ?? '', texts.modes),
    choice('type', texts.type, type ?? '', texts.types),
  ];
}

/** The query that makes a form name exactly this item. */
export function queryOfItem({ type, key: { reference, merchantId, mode } }: Item): string {
  return new URLSearchParams({ reference, merchant: merchantId, mode, type }).toString();
}

export function notOneText({ why }: NotOne, { words }: PageContext): string {
  return why === 'unknown' ? words.proof.unknown : words.proof.several;
}
