import { type Database } from '#infra/postgres';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { createViews, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LedgerEntry } from './ledger-entry.js';
import { projectLedgerEntries } from './project.js';
import { projectLedgerSections, purposesUpTo, sumsUpTo } from './sections.js';

let server: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, viewSchema());
  database = server.database.beside({ searchPath: [viewSchema()] });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const section = 2n ** 24n;
/** Positions at the end and the beginning of sections, and anywhere else. */
const anyPosition = fc.oneof(
  fc.constantFrom(1n, section - 1n, section, section + 1n, 2n * section, 3n * section - 1n),
  fc.bigInt({ min: 1n, max: 4n * section }),
);
/** A posting of one wallet, with a fee or without one. */
const anyPosting = fc.record({
  position: anyPosition,
  purpose: fc.constantFrom('collection', 'payout', 'correction'),
  wallet: fc.constantFrom('wallet:1', 'wallet:2'),
  amount: fc.bigInt({ min: -1000n, max: 1000n }),
  fee: fc.option(fc.bigInt({ min: 0n, max: 9n }), { nil: undefined }),
});
type Posted = typeof anyPosting extends fc.Arbitrary<infer Of> ? Of : never;
const anyPostings = fc.uniqueArray(anyPosting, {
  maxLength: 20,
  selector: ({ position }) => position,
});

const at = { mode: `'demo'`, currency: `'KES'`, account: '$1', position: '$2' };
const sums = `
  select credits_minor::text as credits, debits_minor::text as debits, entries, p.*
  from ${sumsUpTo(at)} s cross join (
    select collections::int, payouts::int, collected_minor::int, paid_out_minor::int, fees_minor::int
    from ${purposesUpTo(at)} p
  ) p`;

describe('an account’s total at a position', () => {
  it('is the sum of its entries up to that position, for any sections and batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyPostings,
        fc.nat({ max: 20 }),
        anyPosition,
        async (told, cut, position) => {
          await database.query('truncate ledger_entries, ledger_sections');
          // Entries that were quarantined arrive later, and come before those that exist.
          for (const batch of [told.slice(cut), told.slice(0, cut)]) {
            const entries = batch.flatMap(legsOf);
            await projectLedgerEntries(database, entries);
            await projectLedgerSections(database, entries);
          }
          const [row] = await database.query(sums, ['wallet:1', position]);
          const own = told.filter((of) => of.wallet === 'wallet:1' && of.position <= position);
          expect(row).toEqual(summed(own));
        },
      ),
      { numRuns: 60 },
    );
  });
});

function summed(own: readonly Posted[]): object {
  const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);
  const amounts = own.map(({ amount }) => amount);
  const of = (wanted: Posted['purpose']) => own.filter(({ purpose }) => purpose === wanted);
  const gross = (postings: readonly Posted[]): number =>
    Number(sumOf(postings.map(({ amount, fee = 0n }) => amount + fee)));
  const [collections, payouts] = [of('collection'), of('payout')];
  return {
    credits: String(sumOf(amounts.filter((amount) => amount > 0n))),
    debits: String(sumOf(amounts.filter((amount) => amount < 0n).map((amount) => -amount))),
    entries: BigInt(own.length),
    collections: collections.length,
    payouts: payouts.length,
    collected_minor: gross(collections),
    paid_out_minor: 0 - gross(payouts),
    fees_minor: Number(sumOf([...collections, ...payouts].map(({ fee = 0n }) => fee))),
  };
}

function legsOf({ position, purpose, wallet, amount, fee }: Posted): LedgerEntry[] {
  const legs = [
    { account: wallet, amount_minor: amount },
    { account: 'rail-clearing:mpesa', amount_minor: -amount - (fee ?? 0n) },
    ...(fee === undefined ? [] : [{ account: 'fees', amount_minor: fee }]),
  ];
  const stream = `${purpose}-demo:m-1:${position}`;
  return legs.map((entry, leg) => ({ ...unused, ...entry, position, stream, leg }) as LedgerEntry);
}

const unused = {
  event_id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  mode: 'demo',
  currency: 'KES',
  recorded_at: '2026-11-20T10:00:00.000Z',
  leaf: null,
  link: null,
};
