import { type Language } from '#shared/http';
import { inLanguage } from '../text/language.js';
import { english } from './merchant-texts.en.js';
import { swahili } from './merchant-texts.sw.js';
import { type MerchantTexts } from './merchant-texts.js';

/** The texts of a merchant's pages for a viewer. */
export function merchantTexts(viewer: { readonly language: Language }): MerchantTexts {
  return inLanguage({ en: english, sw: swahili }, viewer);
}
