import { type History, rowsOfSteps, useHistory } from '#testing';
import { expect, it } from '@jest/globals';
import { listLines } from './list-lines.js';
import { Snapshots } from './snapshots.js';

let history: History;
useHistory((begun) => {
  history = begun;
});

it('the last page of the list reads no more rows of any table than it has lines', async () => {
  const [items, lines] = [2000, 100];
  await history.intend('copied');
  await history.project();
  await history.tamper(
    `insert into transactions
     select (jsonb_populate_record(t, jsonb_build_object('position', t.position + i, 'stream', t.stream || i))).*
     from transactions t, generate_series(1, ${items}) i`,
  );
  await history.tamper(
    `insert into transaction_listings
     select (jsonb_populate_record(l, jsonb_build_object('position', l.position + i))).*
     from transaction_listings l, generate_series(1, ${items}) i`,
  );
  await history.tamper('analyze transactions, transaction_listings');
  const [last] = await history.database.query<{ position: string }>(
    'select max(position)::text as position from transactions',
  );
  const end = BigInt(last?.position ?? '');
  const rows = await new Snapshots(history.database).take(async (snapshot) => {
    // Postgres prefers to merge the tables only in a long history. Here it reads row by row only where it must.
    await snapshot.query('set local enable_nestloop = off');
    return rowsOfSteps(snapshot, {
      text: `${listLines} limit ${lines}`,
      values: [end - BigInt(lines), end],
    });
  });
  expect(rows[0]).toBe(lines);
  expect(Math.max(...rows)).toBe(lines);
});
