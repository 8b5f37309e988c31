import { type english } from './operator-texts.en.js';

/** The same keys with words in any language. */
export type InWords<Texts> = Texts extends string
  ? string
  : Texts extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Texts]: InWords<Texts[Name]> };

/** The texts of operators' pages, in one language. */
export type OperatorTexts = InWords<typeof english>;
