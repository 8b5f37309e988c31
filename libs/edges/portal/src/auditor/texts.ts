import { type InWords } from '../operator/texts.js';
import { type english } from './texts.en.js';

/** The texts of auditors' pages, in one language. */
export type AuditorTexts = InWords<typeof english>;
