import { type PageContext as OperatorPageContext } from '../operator/page-context.js';
import { inLanguage } from '../text/language.js';
import { english } from './auditor-texts.en.js';
import { swahili } from './auditor-texts.sw.js';
import { type AuditorTexts } from './auditor-texts.js';

/** The facts that each of auditors' pages is shown with: those that operators' pages share, and words of its own. */
export interface PageContext extends OperatorPageContext {
  readonly words: AuditorTexts;
}

/** Adds the auditor's words to what operators' pages are shown with. */
export function pageContextOf(context: OperatorPageContext): PageContext {
  const words = inLanguage<AuditorTexts>({ en: english, sw: swahili }, context.viewer);
  return { ...context, words };
}
