import { type Viewer } from '../../access/viewer.js';
import { inLanguage } from '../../text/language.js';
import { english } from './home-texts.en.js';
import { swahili } from './home-texts.sw.js';
import { type HomeTexts } from './home-texts.js';

/** The words of the home page for a viewer. */
export function homeTextsOf(viewer: Pick<Viewer, 'language'>): HomeTexts {
  return inLanguage<HomeTexts>({ en: english, sw: swahili }, viewer);
}
