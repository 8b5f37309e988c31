import { type Database } from '#infra/postgres';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { createViews, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LedgerEntry } from './ledger-entry.js';
import { projectLedgerEntries } from './project.js';
import { projectLedgerSections, sumsUpTo } from './sections.js';

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
const anyEntry = fc.record({
  position: anyPosition,
  account: fc.constantFrom('wallet:1', 'wallet:2', 'fees' as const),
  amount_minor: fc.bigInt({ min: -1000n, max: 1000n }),
});
const sums = `
  select credits_minor::text as credits, debits_minor::text as debits, entries
  from ${sumsUpTo({ mode: `'demo'`, currency: `'KES'`, account: '$1', position: '$2' })} s`;

describe('an account’s total at a position', () => {
  it('is the sum of its entries up to that position, for any sections and batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEntry, { maxLength: 30 }),
        fc.nat({ max: 30 }),
        anyPosition,
        async (told, cut, position) => {
          await database.query('truncate ledger_entries, ledger_sections');
          const entries = told.map((entry, leg) => ({ ...unused, ...entry, leg }) as LedgerEntry);
          // Entries that were quarantined arrive later, and come before those that exist.
          for (const batch of [entries.slice(cut), entries.slice(0, cut)]) {
            await projectLedgerEntries(database, batch);
            await projectLedgerSections(database, batch);
          }
          const [row] = await database.query(sums, ['wallet:1', position]);
          const own = told.filter((of) => of.account === 'wallet:1' && of.position <= position);
          const sumOf = (sign: bigint): string =>
            own
              .map(({ amount_minor: amount }) => amount * sign)
              .reduce((sum, amount) => (amount > 0n ? sum + amount : sum), 0n)
              .toString();
          expect(row).toEqual({
            credits: sumOf(1n),
            debits: sumOf(-1n),
            entries: BigInt(own.length),
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

const unused = {
  event_id: '01a1fbba-5634-76de-a5c4-550311b90a35',
  stream: 's',
  mode: 'demo',
  currency: 'KES',
  recorded_at: '2026-11-20T10:00:00.000Z',
  leaf: null,
  link: null,
};
