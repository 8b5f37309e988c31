import { anyHistory, happen, History, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

let server: ThrowAwayDatabase;
const begin = (): Promise<History> => History.begin(server);
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());

/** The columns with content. For a claim, only the reference can be compared with the log. */
const tables = {
  transactions: undefined,
  transaction_days: undefined,
  paid_days_left: undefined,
  day_figures: undefined,
  account_days: undefined,
  ledger_entries: undefined,
  ledger_sections: undefined,
  balances: undefined,
  bank_settlements: undefined,
  rail_queries: undefined,
  reviews: undefined,
  // Constraints bind the other columns.
  open_payouts: ['stream', 'mode', 'channel', 'since', 'position', 'originator_conversation_id'],
  paid_numbers: undefined,
  payout_batches: ['stream', 'items', 'since', 'recorded', 'reserved', 'approved', 'rejected'],
  payout_terms: ['max_minor', 'automatic_max_minor', 'destinations'],
  // A constraint ensures that no two have the same number.
  webhook_events: ['id', 'type', 'position', 'recorded_at', 'callback_url', 'body'],
  webhook_sequences: undefined,
  webhook_endpoints: ['from_position', 'to_position', 'url', 'enabled', 'standard_headers'],
  checkpoint: ['position', 'stream', 'revision', 'event_id'],
  'records.idempotency_claims': ['reference'],
} as const;
type Table = keyof typeof tables;

const changed: Readonly<Record<string, (column: string) => string>> = {
  integer: (column) => `coalesce(${column}, 0) + 1`,
  text: (column) => `coalesce(${column}, '') || 'x'`,
  'text[]': (column) => `array_append(${column}, 'x')`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  smallint: (column) => `coalesce(${column}, 0) + 7`,
  numeric: (column) => `coalesce(${column}, 0) + 1`,
  boolean: (column) => `not ${column}`,
  bytea: (column) => `sha256(coalesce(${column}, ''))`,
  uuid: () => 'gen_random_uuid()',
  date: (column) => `coalesce(${column}, current_date) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 millisecond'`,
};

/** Changes one value of one row, or deletes the row. @returns false if there was no row */
async function mutate({ database }: History, table: Table, draw: readonly number[]) {
  const [pickRow = 0, pickColumn = 0] = draw;
  const rows = await database.query<{ ctid: string }>(
    `select ctid::text from ${table} order by ctid`,
  );
  const row = rows[pickRow % Math.max(1, rows.length)];
  if (!row) return undefined;
  const columns = await database.query<{ name: string; type: string }>(
    `select attname as name, regexp_replace(format_type(atttypid, null), '\\(.*\\)', '') as type
     from pg_attribute where attrelid = '${table}'::regclass and attnum > 0`,
  );
  const some: readonly string[] | undefined = tables[table];
  const known = columns.filter(({ name }) => some?.includes(name) ?? true);
  const column = known[pickColumn % (known.length + (table === 'checkpoint' ? 0 : 1))];
  const change = column && changed[column.type]?.(column.name);
  const statement = column
    ? `update ${table} set ${column.name} = ${change} where ctid = '${row.ctid}'`
    : `delete from ${table} where ctid = '${row.ctid}'`;
  await database.query(statement);
  return statement;
}

describe('any history', () => {
  it('has a projection that verifies clean, and no single change of a table stays hidden', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.record({ batch: fc.integer({ min: 1, max: 9 }), maxHeld: fc.constantFrom(1, 3, 1000) }),
        fc.constantFrom(...(Object.keys(tables) as Table[])),
        fc.tuple(fc.nat(), fc.nat()),
        async (drawn, { batch, maxHeld }, table, draw) => {
          const random = await begin();
          try {
            await happen(random, drawn);
            await random.project(batch);
            expect(await random.verify(maxHeld)).toMatchObject({ differences: 0, named: [] });
            const mutation = await mutate(random, table, draw);
            const { differences } = await random.verify(maxHeld);
            expect([mutation, differences > 0]).toEqual([mutation, mutation !== undefined]);
          } finally {
            await random.database.close();
          }
        },
      ),
      { numRuns: 50 },
    );
  }, 1_200_000);
});
