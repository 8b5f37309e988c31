import { type Action } from '#domain/people';
import { type Language } from '#shared/http';

/** A page in the navigation, for people who may see it. */
export interface Place {
  /** A unique id with which a page names its place. */
  readonly id: string;
  readonly href: string;
  readonly action: Action;
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
    label: { en: 'Status', sw: 'Hali ya huduma' },
  },
  {
    id: 'waiting',
    href: '/portal/waiting',
    action: 'reviews.see',
    label: { en: 'Waiting for you', sw: 'Yanayokusubiri' },
  },
  {
    id: 'reviews',
    href: '/portal/reviews',
    action: 'reviews.see',
    label: { en: 'Reviews', sw: 'Kaguzi' },
  },
  {
    id: 'corrections',
    href: '/portal/corrections',
    action: 'corrections.see',
    label: { en: 'Corrections', sw: 'Marekebisho' },
  },
  {
    id: 'roles-now',
    href: '/portal/roles',
    action: 'roles.decide',
    label: { en: 'Grant roles', sw: 'Kutoa majukumu' },
  },
  { id: 'find', href: '/portal/find', action: 'items.find', label: { en: 'Find', sw: 'Tafuta' } },
  {
    id: 'audit',
    href: '/portal/audit',
    action: 'audit.see',
    label: { en: 'Seals', sw: 'Mihuri' },
  },
  {
    id: 'roles',
    href: '/portal/audit/roles',
    action: 'roles.see',
    label: { en: 'Roles', sw: 'Majukumu' },
  },
  {
    id: 'people',
    href: '/portal/audit/people',
    action: 'audit.see',
    label: { en: 'Activity log', sw: 'Nani alifanya nini' },
  },
  {
    id: 'evidence',
    href: '/portal/audit/evidence',
    action: 'evidence.open',
    label: { en: 'Evidence', sw: 'Ushahidi' },
  },
] as const satisfies readonly Place[];

/** A merchant's pages in the order of the navigation. A person begins at the first that they may see. */
export const merchantPlaces = [
  {
    id: 'transactions',
    path: '/transactions',
    action: 'transactions.see',
    label: { en: 'Transactions', sw: 'Miamala' },
  },
  { id: 'days', path: '/days', action: 'day.see', label: { en: 'Days', sw: 'Siku' } },
  {
    id: 'statement',
    path: '/statement',
    action: 'transactions.export',
    label: { en: 'Statements', sw: 'Taarifa za akaunti' },
  },
  {
    id: 'payouts',
    path: '/payouts',
    action: 'transactions.see',
    label: { en: 'Payouts', sw: 'Malipo ya kutoka' },
  },
  { id: 'keys', path: '/keys', action: 'keys.see', label: { en: 'Keys', sw: 'Funguo' } },
  {
    id: 'webhooks',
    path: '/webhooks',
    action: 'webhooks.see',
    label: { en: 'Webhooks', sw: 'Webhook' },
  },
  {
    id: 'requests',
    path: '/requests',
    action: 'requests.see',
    label: { en: 'Refused requests', sw: 'Maombi yaliyokataliwa' },
  },
  {
    id: 'signature',
    path: '/signature',
    action: 'requests.see',
    label: { en: 'Signature debugger', sw: 'Kikagua sahihi' },
  },
  {
    id: 'v3',
    path: '/v3',
    action: 'requests.see',
    label: { en: 'From V3 to V4', sw: 'Kutoka V3 hadi V4' },
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
