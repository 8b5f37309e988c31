import { type InWords } from '../text/in-words.js';
import { type english } from './operator-texts.en.js';

/** The texts of operators' pages, in one language. */
export type OperatorTexts = InWords<typeof english>;
