import { type Mode, modes } from '#domain/kernel';
import { permits } from '#domain/people';
import { type Viewer } from '../access/viewer.js';
import { merchantPlaces, type Place, platformPlaces } from './places.js';

/** The merchant and mode of a merchant's pages. */
type MerchantAt = NonNullable<Viewer['merchant']>;

export interface Navigation {
  readonly places: readonly Place[];
  readonly merchant:
    | {
        readonly at: MerchantAt;
        readonly places: readonly Place[];
        /** The other mode's first page. */
        readonly other: { readonly mode: Mode; readonly href: string };
      }
    | undefined;
}

export function merchantAddress({ merchantId, mode }: MerchantAt, path = ''): string {
  return `/portal/merchants/${encodeURIComponent(merchantId)}/${mode}${path}`;
}

/** The navigation that the viewer's roles allow. A merchant's own people see their merchant on every page. */
export function navigationOf(viewer: Pick<Viewer, 'roles' | 'merchant' | 'firstMode'>): Navigation {
  const { roles } = viewer;
  const at = viewer.merchant ?? ownMerchant(viewer);
  const places = platformPlaces.filter(({ action }) => permits(roles, action));
  if (!at) return { places, merchant: undefined };
  const ofMerchant = merchantPlaces
    .filter(({ action }) => permits(roles, action, at.merchantId))
    .map(({ path, ...place }): Place => ({ ...place, href: merchantAddress(at, path) }));
  const [other = at.mode] = modes.filter((mode) => mode !== at.mode);
  const href = merchantAddress({ ...at, mode: other }, merchantPlaces[0].path);
  return { places, merchant: { at, places: ofMerchant, other: { mode: other, href } } };
}

function ownMerchant({
  roles,
  firstMode = 'live',
}: Pick<Viewer, 'roles' | 'firstMode'>): MerchantAt | undefined {
  const merchantId = roles.find((held) => held.merchantId !== undefined)?.merchantId;
  return merchantId === undefined ? undefined : { merchantId, mode: firstMode };
}

/** The first page that the roles allow, or undefined if they allow none. */
export function firstPlace(viewer: Pick<Viewer, 'roles' | 'firstMode'>): Place | undefined {
  const { places, merchant } = navigationOf({ ...viewer, merchant: undefined });
  return places[0] ?? merchant?.places[0];
}
