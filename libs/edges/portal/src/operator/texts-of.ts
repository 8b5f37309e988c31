import { type Language } from '#shared/http';
import { inLanguage } from '../text/language.js';
import { english } from './texts.en.js';
import { swahili } from './texts.sw.js';
import { type OperatorTexts } from './texts.js';

/** The texts of operators' pages for a viewer. */
export function operatorTextsOf(viewer: { readonly language: Language }): OperatorTexts {
  return inLanguage<OperatorTexts>({ en: english, sw: swahili }, viewer);
}
