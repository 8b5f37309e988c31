import { type Leg, type LedgerAccount } from '#domain/ledger';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type Case, itemStream } from '#desk/operators';
import { correctionAddress } from '../page/correction-address.js';
import { type PageContext } from './page-context.js';

/**
 * The button that leads to a correction with the opposite of everything that the item posted, for people who may
 * propose one. An item without a posting has nothing to correct.
 */
export function correctLink(found: Case, { texts, viewer }: PageContext): Html | undefined {
  const legs = postedLegs(found);
  if (legs.length === 0 || !permits(viewer.roles, 'corrections.decide')) return undefined;
  const { merchantId, mode } = found.key;
  const { currency } = found.item;
  const corrects = itemStream(found);
  const address = correctionAddress({ merchantId, mode, currency, legs, corrects });
  return html`<a class="button secondary" href="${address}">${texts.item.correct}</a>`;
}

/** All that the item's events moved, one leg an account. */
function postedLegs({ events }: Case): readonly Leg[] {
  const sums = new Map<LedgerAccount, bigint>();
  for (const { data } of events)
    if ('legs' in data)
      for (const { account, amountMinor } of data.legs)
        sums.set(account, (sums.get(account) ?? 0n) + amountMinor);
  return [...sums]
    .map(([account, amountMinor]) => ({ account, amountMinor }))
    .filter(({ amountMinor }) => amountMinor !== 0n);
}
