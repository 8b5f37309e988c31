import { type Mode } from '#domain/kernel';
import { type Language } from '#shared/http';

type Words<Term extends string> = Readonly<Record<Language, Readonly<Record<Term, string>>>>;

/** The statuses of collections and payouts, as badges say them. */
export const statusWords = {
  en: {
    pending: 'Pending',
    completed: 'Completed',
    failed: 'Failed',
    pending_approval: 'Needs approval',
    rejected: 'Rejected',
  },
  sw: {
    pending: 'Inasubiri',
    completed: 'Imekamilika',
    failed: 'Imeshindikana',
    pending_approval: 'Inahitaji idhini',
    rejected: 'Imekataliwa',
  },
} as const satisfies Words<'pending' | 'completed' | 'failed' | 'pending_approval' | 'rejected'>;

/** The types of items in the list. */
export const typeWords = {
  en: { collection: 'Collection', payout: 'Payout' },
  sw: { collection: 'Makusanyo', payout: 'Malipo ya kutoka' },
} as const satisfies Words<'collection' | 'payout'>;

/** The modes. */
export const modeWords = {
  en: { live: 'Live', demo: 'Demo' },
  sw: { live: 'Halisi', demo: 'Majaribio' },
} as const satisfies Words<Mode>;
