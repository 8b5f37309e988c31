import { named } from '#shared/openapi';
import { z } from 'zod';
import { accountNoPattern } from './account-no.js';

/** An account's balance (LIST-17). Amounts in minor units, possibly negative. */
export const balanceResponse = named(
  'Balance',
  z.object({
    account_no: z.string().regex(accountNoPattern),
    currency: z.string().describe('ISO 4217 code.'),
    posted_minor: z.bigint().describe('All that was posted: in, less out. Minor units.'),
    reserved_minor: z
      .bigint()
      .describe('Set aside for payouts and corrections under way. Minor units.'),
    available_minor: z.bigint().describe('What a payout may take. Minor units.'),
  }),
);
export type BalanceResponse = z.infer<typeof balanceResponse>;

export const balanceExample = {
  account_no: '10000001',
  currency: 'KES',
  posted_minor: 24_625,
  reserved_minor: 0,
  available_minor: 24_625,
};
