import { type Language } from './language.js';

/** The same keys with words in any language. The language's own code stays a code. */
export type InWords<Texts> = Texts extends Language
  ? Language
  : Texts extends string
    ? string
    : Texts extends (...values: infer Values) => infer Said
      ? (...values: Values) => Said extends string ? string : Said
      : { readonly [Name in keyof Texts]: InWords<Texts[Name]> };
