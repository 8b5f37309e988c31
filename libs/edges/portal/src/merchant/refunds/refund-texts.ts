import { type InWords } from '#shared/html';
import { type english } from './refund-texts.en.js';

/** The texts of refunds, in one language. */
export type RefundTexts = InWords<typeof english>;
