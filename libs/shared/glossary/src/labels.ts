import type { Mode } from '#domain/kernel';
import type { HeldRole } from '#domain/people';
import { type Term } from './term.js';

/** Statuses of collections, payouts and batches. The API has the first five. */
export const statuses = {
  pending: { en: 'Pending', sw: 'Inasubiri' },
  completed: { en: 'Completed', sw: 'Imekamilika' },
  failed: { en: 'Failed', sw: 'Imeshindikana' },
  pending_approval: { en: 'Needs approval', sw: 'Inahitaji idhini' },
  rejected: { en: 'Rejected', sw: 'Imekataliwa' },
  in_suspense: { en: 'In suspense', sw: 'Imeshikiliwa' },
  refunded: { en: 'Refunded', sw: 'Imerudishwa' },
  cancelled: { en: 'Cancelled', sw: 'Imeghairiwa' },
  under_review: { en: 'In review', sw: 'Inakaguliwa' },
} as const satisfies Readonly<Record<string, Term>>;

export const itemTypes = {
  collection: { en: 'Collection', sw: 'Makusanyo' },
  payout: { en: 'Payout', sw: 'Malipo ya kutoka' },
} as const satisfies Readonly<Record<string, Term>>;

/** States of a webhook for one endpoint. */
export const deliveryStates = {
  delivered: { en: 'Delivered', sw: 'Imefikishwa' },
  waiting: { en: 'Waiting', sw: 'Inasubiri' },
  retrying: { en: 'Retrying', sw: 'Inajaribiwa tena' },
  expired: { en: 'Expired after 30 days', sw: 'Muda uliisha baada ya siku 30' },
  over: { en: 'Ended', sw: 'Imeisha' },
} as const satisfies Readonly<Record<string, Term>>;

export const modes = {
  live: { en: 'Live', sw: 'Halisi' },
  demo: { en: 'Demo', sw: 'Majaribio' },
} as const satisfies Record<Mode, Term>;

/** The money of each mode. */
export const modeNotes = {
  live: { en: 'real money', sw: 'pesa halisi' },
  demo: { en: 'no real money', sw: 'hakuna pesa halisi' },
} as const satisfies Record<Mode, Term>;

/** Each mode with its money: `Live: real money`. */
export function modesWithMoney(language: keyof Term): Readonly<Record<Mode, string>> {
  const words = (mode: Mode): string => `${modes[mode][language]}: ${modeNotes[mode][language]}`;
  return { live: words('live'), demo: words('demo') };
}

export const roles = {
  viewer: { en: 'Viewer', sw: 'Mtazamaji' },
  support: { en: 'Support', sw: 'Msaada' },
  finance: { en: 'Finance', sw: 'Fedha' },
  admin: { en: 'Admin', sw: 'Msimamizi' },
  auditor: { en: 'Auditor', sw: 'Mkaguzi' },
  developer: { en: 'Developer', sw: 'Msanidi' },
  owner: { en: 'Owner', sw: 'Mmiliki' },
} as const satisfies Record<HeldRole['role'], Term>;
