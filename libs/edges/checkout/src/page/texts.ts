import { type InWords } from '#shared/html';
import { type english } from './texts.en.js';

/**
 * Every text of the page in one language. Names and amounts are filled in, and all of it is escaped when it is shown.
 */
export type Texts = InWords<typeof english>;
