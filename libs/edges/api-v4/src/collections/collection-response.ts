import { type CollectionView, referencePattern } from '#domain/collections';
import { named } from '#shared/openapi';
import { z } from 'zod';

const statuses = ['pending', 'completed', 'failed'] as const satisfies CollectionView['status'][];

/** The answer to a create call (COL-1). */
export const collectionResponse = named(
  'Collection',
  z.object({
    status: z.enum(statuses).describe('`pending` for a new collection.'),
    reference: z.string().regex(referencePattern).describe('As requested.'),
    rail_reference: z
      .string()
      .nullable()
      .describe(
        'The rail’s identifier of the push. `null`: it is not known whether a prompt was shown.',
      ),
    amount_minor: z.bigint().describe('Minor units.'),
    currency: z.string().describe('ISO 4217 code.'),
  }),
);
export type CollectionResponse = z.infer<typeof collectionResponse>;

export const collectionExample = {
  status: 'pending',
  reference: 'INV-1001',
  rail_reference: 'ws_CO_210120260936178708374149',
  amount_minor: 25_000,
  currency: 'KES',
};
