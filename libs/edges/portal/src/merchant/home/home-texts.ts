import { type InWords } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { inLanguage } from '../../text/language.js';
import { english } from './home-texts.en.js';
import { swahili } from './home-texts.sw.js';

export type HomeTexts = InWords<typeof english>;

/** The words of the home page for a viewer. */
export function homeTextsOf(viewer: Pick<Viewer, 'language'>): HomeTexts {
  return inLanguage<HomeTexts>({ en: english, sw: swahili }, viewer);
}
