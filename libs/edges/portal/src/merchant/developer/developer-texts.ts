import { type InWords } from '#shared/html';
import { type english } from './developer-texts.en.js';

/** The texts of a merchant's forms for endpoints and credentials, in one language. */
export type DeveloperTexts = InWords<typeof english>;
