import { type Action } from '#domain/people';
import { type MerchantPlace } from '../page/place.js';
import { english } from './merchant-texts.en.js';
import { swahili } from './merchant-texts.sw.js';
import { type MerchantTexts } from './merchant-texts.js';

/** A section has an address by its own name. */
function place(id: keyof MerchantTexts['sections'], action: Action): MerchantPlace {
  const label = { en: english.sections[id], sw: swahili.sections[id] };
  return { id, action, path: `/${id}`, label };
}

/** A merchant's pages in the order of the navigation. A person begins at the first that they may see. */
export const merchantPlaces: readonly MerchantPlace[] = [
  place('transactions', 'transactions.see'),
  place('days', 'day.see'),
  place('statement', 'transactions.export'),
  place('payouts', 'transactions.see'),
  place('keys', 'keys.see'),
  place('webhooks', 'webhooks.see'),
  place('requests', 'requests.see'),
  place('signature', 'requests.see'),
  place('v3', 'requests.see'),
];
