import { type Viewer } from '../access/viewer.js';
import { type Look as OperatorLook } from '../operator/looks.js';
import { operatorTextsOf } from '../operator/texts-of.js';
import { inLanguage } from '../text/language.js';
import { english } from './texts.en.js';
import { swahili } from './texts.sw.js';
import { type AuditorTexts } from './texts.js';

/** The facts that each of auditors' pages is shown with: those that operators' pages share, and words of its own. */
export interface Look extends OperatorLook {
  readonly words: AuditorTexts;
}

export function lookOf(viewer: Viewer, zone: string): Look {
  const words = inLanguage<AuditorTexts>({ en: english, sw: swahili }, viewer);
  return { viewer, zone, texts: operatorTextsOf(viewer), words };
}
