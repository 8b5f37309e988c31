import { type Place } from '../page/place.js';

/** Operators' pages in the order of the navigation. A person begins at the first that they may see. */
export const operatorPlaces: readonly Place[] = [
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
];
