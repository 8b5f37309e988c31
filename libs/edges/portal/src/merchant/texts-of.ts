import { type Language } from '#shared/http';
import { inLanguage } from '../text/language.js';
import { english } from './texts.en.js';
import { swahili } from './texts.sw.js';
import { type MerchantTexts } from './texts.js';

/** The texts of a merchant's pages for a viewer. */
export function merchantTexts(viewer: { readonly language: Language }): MerchantTexts {
  return inLanguage({ en: english, sw: swahili }, viewer);
}
