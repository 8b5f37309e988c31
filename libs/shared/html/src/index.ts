export { escapeHtml, Html, html } from './html.js';
export { inlineMarkdown, markdown, slug } from './markdown.js';
