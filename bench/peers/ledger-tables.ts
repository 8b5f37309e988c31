import pg from 'pg';
import { GroupCommit } from '../floors/group-commit.js';

/** The tables of a small team's ledger: the intent, its legs, running balances and an outbox. */
const tables = `
create table intents (
  id uuid primary key,
  merchant_id text not null,
  idempotency_key text not null,
  reference text not null,
  body_sha256 bytea not null,
  account_no text not null,
  phone text not null,
  currency text not null,
  amount_minor bigint not null,
  fee_minor bigint not null,
  status text not null default 'pending',
  rail_reference text,
  receipt text,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  unique (merchant_id, idempotency_key),
  unique (merchant_id, reference)
) with (fillfactor = 70);
create table postings (
  id bigint generated always as identity primary key,
  intent_id uuid not null,
  account text not null,
  amount_minor bigint not null,
  created_at timestamptz not null default now()
);
create index on postings (account, id);
-- One account's sum lies in several rows, so that commits of one row each do not wait for one another.
create table balances (
  account text not null,
  slot smallint not null,
  amount_minor bigint not null,
  primary key (account, slot)
) with (fillfactor = 50);
create table outbox (
  id bigint generated always as identity primary key,
  intent_id uuid not null,
  type text not null,
  payload json not null,
  created_at timestamptz not null default now()
);`;

const intents = {
  name: 'intents',
  columns: {
    id: 'uuid',
    merchant_id: 'text',
    idempotency_key: 'text',
    reference: 'text',
    body_sha256: 'bytea',
    account_no: 'text',
    phone: 'text',
    currency: 'text',
    amount_minor: 'bigint',
    fee_minor: 'bigint',
  },
  text: (given: string, names: string) =>
    `insert into intents (${names}) select ${names} from ${given} on conflict do nothing returning id`,
};

const pushes = {
  name: 'pushes',
  columns: { id: 'uuid', reference: 'text' },
  text: (given: string) =>
    `update intents set rail_reference = given.reference from ${given} where intents.id = given.id returning intents.id`,
};

const reports = {
  name: 'reports',
  columns: { id: 'uuid', status: 'text', receipt: 'text', slot: 'smallint' },
  text: (given: string) => `
    with settled as (
      update intents set status = given.status, receipt = given.receipt, paid_at = now()
      from ${given} where intents.id = given.id and intents.status = 'pending'
      returning intents.id, intents.merchant_id, intents.reference, intents.status, account_no, amount_minor, fee_minor, slot
    ), legs as (
      select id, slot, leg.* from settled cross join lateral (values
        ('rail-clearing:mpesa', -amount_minor),
        ('wallet:' || account_no, amount_minor - fee_minor),
        ('fees', fee_minor)
      ) leg (account, minor) where status = 'completed'
    ), posted as (
      insert into postings (intent_id, account, amount_minor) select id, account, minor from legs
    ), summed as (
      insert into balances select account, slot, sum(minor) from legs group by account, slot order by account, slot
      on conflict (account, slot) do update set amount_minor = balances.amount_minor + excluded.amount_minor
    ), told as (
      insert into outbox (intent_id, type, payload)
      select id, 'collection.' || status, json_build_object(
        'merchant_id', merchant_id, 'reference', reference, 'status', status, 'amount_minor', amount_minor)
      from settled
    )
    select id from settled`,
};

interface StatementOf {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly text: (given: string, names: string) => string;
}

/** Takes values in the order of the columns, the id first. @returns true if the statement took the row */
type Write = (row: readonly (string | number | Buffer | null)[]) => Promise<boolean>;

export interface LedgerTables {
  /** Returns false if the key or the reference was used before. */
  readonly intend: Write;
  readonly accept: Write;
  /** Settles a pending intent: intent, legs, balances and outbox in one commit. */
  readonly settle: Write;
  readonly pool: pg.Pool;
}

/**
 * Commits of one row each share the disk's flush among as many connections. A group needs one connection per statement.
 */
const connections = { row: 12, group: 4 };
/** The rows that make up a balance if each report commits alone. */
const slots = 16;

/** @param by `row`: each row is a statement and a commit of its own · `group`: rows that wait meanwhile go together */
export async function openLedgerTables(url: string, by: 'row' | 'group'): Promise<LedgerTables> {
  const pool = new pg.Pool({ connectionString: url, max: connections[by] });
  await pool.query(tables);
  const write = by === 'row' ? writerOfRows(pool) : writerOfGroups(pool);
  return { intend: write(intents), accept: write(pushes), settle: write(reports), pool };
}

/**
 * Returns the balance row for the next report. A ledger that commits row by row has several; groups have one row to
 * themselves.
 */
export function slotOf(by: 'row' | 'group'): number {
  return by === 'row' ? Math.floor(Math.random() * slots) : 0;
}

function writerOfRows(pool: pg.Pool): (of: StatementOf) => Write {
  return ({ name, columns, text }) => {
    const names = Object.keys(columns);
    const given = Object.values(columns).map((type, index) => `$${index + 1}::${type}`);
    const statement = {
      name,
      text: text(`(select ${given.join(', ')}) given (${names.join(', ')})`, names.join(', ')),
    };
    return async (row) => (await pool.query({ ...statement, values: [...row] })).rowCount === 1;
  };
}

function writerOfGroups(pool: pg.Pool): (of: StatementOf) => Write {
  return ({ name, columns, text }) => {
    const names = Object.keys(columns);
    const given = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
    const statement = {
      name,
      text: text(`unnest(${given.join(', ')}) given (${names.join(', ')})`, names.join(', ')),
    };
    const groups = new GroupCommit<Parameters<Write>[0], boolean>(async (rows) => {
      const values = names.map((_, column) => rows.map((row) => row[column]));
      const done = await pool.query<{ id: string }>({ ...statement, values });
      const ids = new Set(done.rows.map(({ id }) => id));
      return rows.map(([id]) => ids.has(String(id)));
    });
    return (row) => groups.add(row);
  };
}
