import { type InWords } from '#shared/html';
import { type english } from './operator-texts.en.js';

/** The texts of operators' pages, in one language. */
export type OperatorTexts = InWords<typeof english>;
