import { type Mode, modes } from '#domain/kernel';
import { permits } from '#domain/people';
import { type Viewer } from '../access/viewer.js';
import { merchantPlaces, type Place, type PlaceGroup, platformPlaces } from './places.js';

/** The merchant and mode of a merchant's pages. */
type MerchantAt = NonNullable<Viewer['merchant']>;

/** The navigation of a page: the platform's places, or those of one merchant, never both. */
export interface Navigation {
  readonly groups: readonly { readonly group: PlaceGroup; readonly places: readonly Place[] }[];
  readonly merchant:
    | {
        readonly at: MerchantAt;
        /** True if the viewer looks at it as an operator, and so came from the platform's pages. */
        readonly isVisited: boolean;
        /** Other merchants whose people the viewer is one of. */
        readonly others: readonly { readonly merchantId: string; readonly href: string }[];
      }
    | undefined;
}

export function merchantAddress({ merchantId, mode }: MerchantAt, path = ''): string {
  return `/portal/merchants/${encodeURIComponent(merchantId)}/${mode}${path}`;
}

/**
 * The navigation that the viewer's roles allow on a page. A merchant's own people see their merchant on every page.
 * Operators see it on the merchant's pages, but not on an item of it that they review: the way back to the list stays.
 */
export function navigationOf(
  viewer: Pick<Viewer, 'roles' | 'merchant' | 'firstMode'>,
  target: string,
): Navigation {
  const { roles } = viewer;
  const ofPlatform = platformPlaces.filter(({ action }) => permits(roles, action));
  const isOperator = ofPlatform.length > 0;
  const isPlatformPage = isOperator && !target.startsWith('/portal/merchants/');
  const at = isPlatformPage ? undefined : (viewer.merchant ?? ownMerchant(viewer));
  if (!at) return { groups: inGroups(ofPlatform), merchant: undefined };
  const places = merchantPlaces
    .filter(({ action }) => permits(roles, action, at.merchantId))
    .map(({ path, ...place }): Place => ({ ...place, href: merchantAddress(at, path) }));
  const others = [...new Set(roles.flatMap(({ merchantId }) => merchantId ?? []))]
    .filter((merchantId) => merchantId !== at.merchantId)
    .map((merchantId) => ({ merchantId, href: placesFirst({ ...at, merchantId }) }));
  return {
    groups: inGroups(places),
    merchant: { at, isVisited: isOperator, others },
  };
}

/** The address of the same place in each mode; the merchant's first page if the page is none of its places. */
export function modeAddresses(
  at: MerchantAt,
  place: string | undefined,
): readonly { readonly mode: Mode; readonly href: string }[] {
  const path = merchantPlaces.find(({ id }) => id === place)?.path ?? merchantPlaces[0].path;
  return modes.map((mode) => ({ mode, href: merchantAddress({ ...at, mode }, path) }));
}

function placesFirst(at: MerchantAt): string {
  return merchantAddress(at, merchantPlaces[0].path);
}

function inGroups(places: readonly Place[]): Navigation['groups'] {
  const groups = [...new Set(places.map(({ group }) => group))];
  return groups.map((group) => ({ group, places: places.filter((of) => of.group === group) }));
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
  return navigationOf({ ...viewer, merchant: undefined }, '/portal').groups[0]?.places[0];
}
