import { type Viewer } from '../access/viewer.js';
import { type PageContext as OperatorPageContext } from '../operator/page-context.js';
import { operatorTextsOf } from '../operator/texts-of.js';
import { inLanguage } from '../text/language.js';
import { english } from './auditor-texts.en.js';
import { swahili } from './auditor-texts.sw.js';
import { type AuditorTexts } from './auditor-texts.js';

/** The facts that each of auditors' pages is shown with: those that operators' pages share, and words of its own. */
export interface PageContext extends OperatorPageContext {
  readonly words: AuditorTexts;
}

export function pageContextOf(viewer: Viewer, zone: string): PageContext {
  const words = inLanguage<AuditorTexts>({ en: english, sw: swahili }, viewer);
  return { viewer, zone, texts: operatorTextsOf(viewer), words };
}
