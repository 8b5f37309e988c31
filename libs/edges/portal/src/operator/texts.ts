import { type english } from './texts.en.js';

/** The same names, whatever the words. */
export type InWords<Texts> = Texts extends string
  ? string
  : Texts extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Texts]: InWords<Texts[Name]> };

/** The texts of operators' pages, in one language. */
export type OperatorTexts = InWords<typeof english>;
