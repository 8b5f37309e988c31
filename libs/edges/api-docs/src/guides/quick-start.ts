import { html, inlineMarkdown } from '#shared/html';
import { type SitePage } from '../site/page.js';
import { part } from '../site/parts.js';
import { quickStart } from './quick-start-steps.js';

export function quickStartPage(baseUrl: string): SitePage {
  return {
    address: '/docs/quick-start',
    title: 'Quick start',
    description:
      'From an empty folder to a completed M-Pesa collection in seven steps, with a shell, curl and openssl.',
    lead: html`<p>
      From an empty folder to a completed collection, with a shell, curl and openssl. All steps run
      in one shell, in one folder.
    </p>`,
    parts: quickStart(baseUrl).map(({ title, why, shell, then }, index) =>
      part(title, html`<p>${inlineMarkdown(why)}</p>`, {
        samples: [{ title: `Step ${index + 1}`, code: shell, isStep: true }],
        after: html`<p>${inlineMarkdown(then)}</p>`,
        isWide: true,
      }),
    ),
  };
}
