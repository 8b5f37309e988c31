import { base } from './style-base.js';
import { components } from './style-components.js';
import { layout } from './style-layout.js';

/** The site's style. Later layers win over earlier ones. */
export const style = `@layer reset, tokens, base, components, pages;
${base}${components}${layout}`;
