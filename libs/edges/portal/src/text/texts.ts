import { type InWords } from '#shared/html';
import { type english } from './texts.en.js';

/** The texts of the portal's frame, in one language. Each area has its own beside its pages. */
export type Texts = InWords<typeof english>;
