import { type Language } from '#shared/http';
import { type Texts } from './texts.js';
import { english } from './texts.en.js';
import { swahili } from './texts.sw.js';

const texts: Readonly<Record<Language, Texts>> = { en: english, sw: swahili };

export function textsIn(language: Language): Texts {
  return texts[language];
}
