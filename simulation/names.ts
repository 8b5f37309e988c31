import { collectionStream } from '#collections';

/** The one merchant of every schedule. */
export const merchantId = 'm1';

/** @param reference as the merchant gave it */
export function streamOf(reference: string): string {
  return collectionStream({ mode: 'demo', merchantId, reference });
}
