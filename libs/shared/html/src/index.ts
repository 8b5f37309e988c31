export { brandMark } from './brand-mark.js';
export { type InWords } from './in-words.js';
export { Html, html } from './html.js';
export { isLanguage, type Language, languages, preferredLanguage } from './language.js';
export { inlineMarkdown, markdown, slug } from './markdown.js';
