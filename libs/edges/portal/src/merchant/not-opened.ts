import { html, type Html } from '#shared/html';
import { emptyState } from '../page/parts.js';
import { type MerchantTexts } from './merchant-texts.js';
import { type Place } from './place.js';

/** The whole content of a page of money in a mode that has no account yet. */
export function notOpened({ mode }: Pick<Place, 'mode'>, { common }: MerchantTexts): Html {
  const { text, todo, link } = common.notOpened[mode];
  return emptyState(
    text,
    html`${todo}
      <span class="do"><a class="button secondary" href="${guides[mode]}">${link}</a></span>`,
  );
}

const guides = { live: '/docs/going-live', demo: '/docs/quick-start' } as const;
