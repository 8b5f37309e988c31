import { type Action } from '#domain/people';
import { type Language } from '#shared/http';
import { type Icon } from './icons.js';

/** Groups of places. The first has no heading. */
export type PlaceGroup = 'main' | 'developers' | 'audit';

/** A page in the navigation, for people who may see it. */
export interface Place {
  /** A unique id with which a page names its place. */
  readonly id: string;
  readonly href: string;
  readonly action: Action;
  readonly icon: Icon;
  readonly group: PlaceGroup;
  readonly label: Readonly<Record<Language, string>>;
}

/** A page of each merchant in the navigation. */
export interface MerchantPlace extends Omit<Place, 'href'> {
  /** The path below `/portal/merchants/<merchantId>/<mode>`: empty, or a slash and more. */
  readonly path: string;
}

/** The platform's pages in the order of the navigation. A person begins at the first that they may see. */
export const platformPlaces = [
  {
    id: 'status',
    href: '/portal/status',
    action: 'platform.see',
    icon: 'home',
    group: 'main',
    label: { en: 'Home', sw: 'Mwanzo' },
  },
  {
    id: 'waiting',
    href: '/portal/waiting',
    action: 'reviews.open',
    icon: 'approvals',
    group: 'main',
    label: { en: 'Approvals', sw: 'Idhini' },
  },
  {
    id: 'reviews',
    href: '/portal/reviews',
    action: 'reviews.see',
    icon: 'reviews',
    group: 'main',
    label: { en: 'Reviews', sw: 'Kaguzi' },
  },
  {
    id: 'corrections',
    href: '/portal/corrections',
    action: 'corrections.see',
    icon: 'corrections',
    group: 'main',
    label: { en: 'Corrections', sw: 'Marekebisho' },
  },
  {
    id: 'merchants',
    href: '/portal/merchants',
    action: 'merchants.list',
    icon: 'merchants',
    group: 'main',
    label: { en: 'Merchants', sw: 'Wafanyabiashara' },
  },
  {
    id: 'roles-now',
    href: '/portal/roles',
    action: 'roles.decide',
    icon: 'access',
    group: 'main',
    label: { en: 'Access', sw: 'Ruhusa' },
  },
  {
    id: 'find',
    href: '/portal/find',
    action: 'items.find',
    icon: 'search',
    group: 'main',
    label: { en: 'Search', sw: 'Tafuta' },
  },
  {
    id: 'people',
    href: '/portal/audit/people',
    action: 'audit.see',
    icon: 'activity',
    group: 'audit',
    label: { en: 'Activity log', sw: 'Kumbukumbu ya shughuli' },
  },
  {
    id: 'roles',
    href: '/portal/audit/roles',
    action: 'roles.see',
    icon: 'history',
    group: 'audit',
    label: { en: 'Access history', sw: 'Historia ya ruhusa' },
  },
  {
    id: 'audit',
    href: '/portal/audit',
    action: 'audit.see',
    icon: 'seals',
    group: 'audit',
    label: { en: 'Daily seals', sw: 'Mihuri ya kila siku' },
  },
  {
    id: 'proof',
    href: '/portal/audit/proof',
    action: 'audit.see',
    icon: 'verify',
    group: 'audit',
    label: { en: 'Verify a payment', sw: 'Thibitisha malipo' },
  },
  {
    id: 'evidence',
    href: '/portal/audit/evidence',
    action: 'evidence.open',
    icon: 'evidence',
    group: 'audit',
    label: { en: 'Evidence', sw: 'Ushahidi' },
  },
] as const satisfies readonly Place[];

/** A merchant's pages in the order of the navigation. A person begins at the first that they may see. */
export const merchantPlaces = [
  {
    id: 'home',
    path: '/home',
    action: 'transactions.see',
    icon: 'home',
    group: 'main',
    label: { en: 'Home', sw: 'Mwanzo' },
  },
  {
    id: 'transactions',
    path: '/transactions',
    action: 'transactions.see',
    icon: 'transactions',
    group: 'main',
    label: { en: 'Transactions', sw: 'Miamala' },
  },
  {
    id: 'payouts',
    path: '/payouts',
    action: 'transactions.see',
    icon: 'payouts',
    group: 'main',
    label: { en: 'Payouts', sw: 'Malipo ya kutoka' },
  },
  {
    id: 'days',
    path: '/days',
    action: 'day.see',
    icon: 'reconciliation',
    group: 'main',
    label: { en: 'Reconciliation', sw: 'Ulinganisho' },
  },
  {
    id: 'statement',
    path: '/statement',
    action: 'transactions.export',
    icon: 'statements',
    group: 'main',
    label: { en: 'Statements', sw: 'Taarifa za akaunti' },
  },
  {
    id: 'team',
    path: '/team',
    action: 'team.see',
    icon: 'team',
    group: 'main',
    label: { en: 'Team', sw: 'Timu' },
  },
  {
    id: 'keys',
    path: '/keys',
    action: 'keys.see',
    icon: 'keys',
    group: 'developers',
    label: { en: 'API keys', sw: 'Funguo za API' },
  },
  {
    id: 'webhooks',
    path: '/webhooks',
    action: 'webhooks.see',
    icon: 'webhooks',
    group: 'developers',
    label: { en: 'Webhooks', sw: 'Webhook' },
  },
  {
    id: 'requests',
    path: '/requests',
    action: 'requests.see',
    icon: 'errors',
    group: 'developers',
    label: { en: 'API calls', sw: 'Maombi ya API' },
  },
  {
    id: 'signature',
    path: '/signature',
    action: 'requests.see',
    icon: 'debugger',
    group: 'developers',
    label: { en: 'Signature debugger', sw: 'Kikagua sahihi' },
  },
  {
    id: 'v3',
    path: '/v3',
    action: 'requests.see',
    icon: 'migration',
    group: 'developers',
    label: { en: 'V3 migration', sw: 'Kuhama V3' },
  },
] as const satisfies readonly MerchantPlace[];

/** The labels by id, in one language. A page has its place's label as its title. */
export function labelsOf<Id extends string>(
  places: readonly { readonly id: Id; readonly label: Place['label'] }[],
  language: Language,
): Readonly<Record<Id, string>> {
  const labels = places.map(({ id, label }) => [id, label[language]] as const);
  return Object.fromEntries(labels) as Record<Id, string>;
}
