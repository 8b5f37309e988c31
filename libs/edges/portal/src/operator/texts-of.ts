import { type Language } from '#shared/http';
import { inLanguage } from '../text/language.js';
import { english } from './operator-texts.en.js';
import { swahili } from './operator-texts.sw.js';
import { type OperatorTexts } from './operator-texts.js';

/** The texts of operators' pages for a viewer. */
export function operatorTextsOf(viewer: { readonly language: Language }): OperatorTexts {
  return inLanguage<OperatorTexts>({ en: english, sw: swahili }, viewer);
}
