import { reviewCauses, wordsIn } from '#shared/glossary';
import { type ReviewCause } from '#views/reviews';

/** The cause of a review in a sentence. A cause without words is a type error. */
export const causes: Readonly<Record<ReviewCause, string>> = wordsIn(reviewCauses, 'en');
