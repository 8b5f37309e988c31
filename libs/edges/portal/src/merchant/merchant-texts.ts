import { type InWords } from '#shared/html';
import { type english } from './merchant-texts.en.js';

/** The texts of a merchant's pages, in one language. */
export type MerchantTexts = InWords<typeof english>;
