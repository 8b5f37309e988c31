import { type Language } from '#shared/http';

/** The same keys with words in any language. The language's own code stays a code. */
export type InWords<Texts> = Texts extends Language
  ? Language
  : Texts extends string
    ? string
    : Texts extends (...values: infer Values) => string
      ? (...values: Values) => string
      : { readonly [Name in keyof Texts]: InWords<Texts[Name]> };
