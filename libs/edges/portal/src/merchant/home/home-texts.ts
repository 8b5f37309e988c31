import { type InWords } from '#shared/html';
import { type english } from './home-texts.en.js';

/** The words of a merchant's home page, in one language. */
export type HomeTexts = InWords<typeof english>;
