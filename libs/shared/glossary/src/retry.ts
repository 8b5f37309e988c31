import { type Term } from './term.js';

/**
 * Tells a client if it may try again.
 * - `yes`: the same again may succeed.
 * - `after_change`: the same again ends the same way; change what the next step names first.
 * - `no`: the outcome is final.
 */
export type Retry = 'yes' | 'after_change' | 'no';

export const retries = {
  yes: { en: 'Yes', sw: 'Ndiyo' },
  after_change: { en: 'After a change', sw: 'Baada ya kubadilisha' },
  no: { en: 'No', sw: 'Hapana' },
} as const satisfies Record<Retry, Term>;
