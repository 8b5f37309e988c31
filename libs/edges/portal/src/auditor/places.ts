import { type Action } from '#domain/people';
import { type Place } from '../page/place.js';
import { english } from './auditor-texts.en.js';
import { swahili } from './auditor-texts.sw.js';
import { type AuditorTexts } from './auditor-texts.js';

function place(id: keyof AuditorTexts['places'], href: string, action: Action): Place {
  return { id, href, action, label: { en: english.places[id], sw: swahili.places[id] } };
}

/** Auditors' pages in the order of the navigation, after operators'. */
export const auditorPlaces: readonly Place[] = [
  place('audit', '/portal/audit', 'audit.see'),
  place('roles', '/portal/audit/roles', 'roles.see'),
  place('people', '/portal/audit/people', 'audit.see'),
  place('evidence', '/portal/audit/evidence', 'evidence.open'),
];
