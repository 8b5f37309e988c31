import { type Language } from '#shared/http';
import { inLanguage } from './language.js';
import { english } from './texts.en.js';
import { swahili } from './texts.sw.js';
import { type Texts } from './texts.js';

/** The texts of the portal's frame for a viewer. */
export function textsOf(viewer: { readonly language: Language }): Texts {
  return inLanguage({ en: english, sw: swahili }, viewer);
}
