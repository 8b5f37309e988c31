import { type InWords } from '#shared/html';
import { type english } from './auditor-texts.en.js';

/** The texts of auditors' pages, in one language. */
export type AuditorTexts = InWords<typeof english>;
