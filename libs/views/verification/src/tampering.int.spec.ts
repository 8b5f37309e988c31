import { randomUUID } from 'node:crypto';
import { suspenseLegs } from '#domain/ledger';
import { type History, ReadOnlyLog, threeCollections, useHistory } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { verifyViews } from './verify-views.js';

let history: History;
useHistory((begun) => {
  history = begun;
});

describe('a difference is reported with the expected and the found value:', () => {
  const of = { reference: 'A', stream: 'collection-demo:m-1:A' };
  it.each([
    [
      'a ledger entry off by one minor unit',
      `update ledger_entries set amount_minor = amount_minor + 1 where stream like '%:A' and leg = 1`,
      {
        table: 'ledger_entries',
        field: 'amount_minor',
        expected: '9850',
        found: '9851',
        account: 'wallet:1001',
        ...of,
      },
    ],
    [
      'the link of a ledger entry',
      `update ledger_entries set link = sha256(link) where stream like '%:A' and leg = 1`,
      { table: 'ledger_entries', field: 'link', account: 'wallet:1001', ...of },
    ],
    [
      'the leaf of a posting',
      `update ledger_entries set leaf = sha256(leaf) where stream like '%:A' and leg = 0`,
      { table: 'ledger_entries', field: 'leaf', account: 'rail-clearing:mpesa', ...of },
    ],
    [
      'the last link of an account',
      `update balances set link = null where account = 'wallet:1001'`,
      { table: 'balances', field: 'link', found: null, account: 'demo:KES:wallet:1001' },
    ],
    [
      'a ledger entry that is missing',
      `delete from ledger_entries where stream like '%:A' and leg = 2`,
      {
        table: 'ledger_entries',
        field: 'row',
        expected: '150',
        found: null,
        account: 'fees',
        ...of,
      },
    ],
    [
      'a ledger entry that stands twice',
      `insert into ledger_entries select position, leg + 1, event_id, stream, mode, currency, account, amount_minor, recorded_at, leaf, link from ledger_entries where stream like '%:A' and leg = 2`,
      {
        table: 'ledger_entries',
        field: 'row',
        expected: null,
        found: '150',
        account: 'fees',
        ...of,
      },
    ],
    [
      'a balance off by one minor unit',
      `update balances set credits_minor = credits_minor - 1 where account = 'wallet:1001'`,
      {
        table: 'balances',
        field: 'credits_minor',
        expected: '19700',
        found: '19699',
        account: 'demo:KES:wallet:1001',
      },
    ],
    [
      'a balance that is missing',
      `delete from balances where account = 'fees'`,
      {
        table: 'balances',
        field: 'credits_minor',
        expected: '300',
        found: null,
        account: 'demo:KES:fees',
      },
    ],
    [
      'an amount in the list',
      `update transactions set amount_minor = 10001 where reference = 'A'`,
      {
        table: 'transactions',
        field: 'amount_minor',
        expected: '10000',
        found: '10001',
        account: 'wallet:1001',
        ...of,
      },
    ],
    [
      'a status',
      `update transactions set status = 'failed' where reference = 'A'`,
      { table: 'transactions', field: 'status', expected: 'completed', found: 'failed', ...of },
    ],
    [
      'a day',
      `update transaction_listings set completed_on = completed_on + 1 where position = (select position from transactions where reference = 'A')`,
      { table: 'transaction_listings', field: 'completed_on', expected: null, ...of },
    ],
    [
      'a status by which the list is filtered',
      `update transaction_listings set status = 'pending' where position = (select position from transactions where reference = 'A')`,
      {
        table: 'transaction_listings',
        field: 'status',
        expected: 'completed',
        found: 'pending',
        ...of,
      },
    ],
    [
      'an origin by which the list is filtered',
      `update transaction_listings set kind = 'v3' where position = (select position from transactions where reference = 'A')`,
      { table: 'transaction_listings', field: 'kind', expected: 'v4', found: 'v3', ...of },
    ],
    [
      'a row that filters do not find',
      `delete from transaction_listings where position = (select position from transactions where reference = 'A')`,
      { table: 'transaction_listings', field: 'row', expected: 'a row', found: null, ...of },
    ],
    [
      'a row that filters find and that is none',
      `insert into transaction_listings select position + 1, merchant_id, mode, came_by, status from transactions where reference = 'A'`,
      { table: 'transaction_listings', field: 'row', expected: null, found: 'a row' },
    ],
    [
      'a receipt that is not found',
      `delete from receipts where receipt = 'RA'`,
      { table: 'receipts', field: 'row', expected: 'a row', found: null, ...of },
    ],
    [
      'a rail’s reference that is not found',
      `delete from rail_references where rail_reference like '%:A'`,
      { table: 'rail_references', field: 'row', expected: 'a row', found: null, ...of },
    ],
    [
      'a row of the list that is missing',
      `delete from transactions where reference = 'B'`,
      { table: 'transactions', field: 'row', expected: 'a row', found: null, reference: 'B' },
    ],
    [
      'a row of the list that is too many',
      `insert into transactions select (jsonb_populate_record(t, jsonb_build_object('position', position + 1, 'stream', stream || 'x'))).* from transactions t where reference = 'B'`,
      { table: 'transactions', field: 'row', expected: null, found: 'failed', reference: 'Bx' },
    ],
    [
      'a collection that nobody asks the rail about',
      `insert into rail_queries select stream, mode, rail_reference, created_at from transactions where reference = 'A'`,
      { table: 'rail_queries', field: 'row', expected: null, found: 'a row', ...of },
    ],
    [
      'a review of nothing',
      `insert into reviews select 'collection-demo:m-1:Z', merchant_id, mode, reference, 'second_receipt', created_at, 1 from transactions where reference = 'A'`,
      { table: 'reviews', field: 'row', expected: null, found: 'a row', reference: 'Z' },
    ],
    [
      'the bounds of a day',
      `update transaction_days set last_position = last_position - 1`,
      { table: 'transaction_days', field: 'last_position' },
    ],
    [
      'a figure of a day',
      `update day_figures set amount_minor = amount_minor + 1 where account_no <> '' and status = 'completed'`,
      { table: 'day_figures', field: 'amount_minor', expected: '20000', found: '20001' },
    ],
    [
      'a figure of a day that is missing',
      `delete from day_figures where account_no <> '' and status = 'failed'`,
      { table: 'day_figures', field: 'row', expected: 'a row', found: null },
    ],
    [
      'a figure of a day without items',
      `insert into day_figures select merchant_id, mode, account_no, day + 1, currency, type, status, failure_code, under_review, 1, 1, 1 from day_figures where account_no <> '' and status = 'failed'`,
      { table: 'day_figures', field: 'row', expected: null, found: 'a row' },
    ],
    [
      'a figure of all merchants',
      `update day_figures set items = items + 1 where merchant_id = '' and status = 'completed'`,
      { table: 'day_figures', field: 'items', expected: '2', found: '3' },
    ],
    [
      'the day of a wallet',
      `update account_days set credits_minor = credits_minor + 1`,
      { table: 'account_days', field: 'credits_minor', expected: '19700', found: '19701' },
    ],
    [
      'a claim that is missing',
      `delete from records.idempotency_claims where reference = 'A'`,
      { table: 'idempotency_claims', field: 'reference', expected: 'A', found: null, ...of },
    ],
    [
      'a claim of another reference',
      `update records.idempotency_claims set reference = 'Q' where reference = 'A'`,
      { table: 'idempotency_claims', field: 'reference', expected: 'A', found: null, ...of },
    ],
    [
      'a checkpoint that names another event',
      `update checkpoint set event_id = '${randomUUID()}'`,
      { table: 'checkpoint', field: 'event_id' },
    ],
  ])('%s', async (_what, statement, expected) => {
    await threeCollections(history);
    await history.tamper(statement);
    const { named, differences } = await history.verify();
    expect(named[0]).toMatchObject(expected);
    // The list's own days depend on its rows: a row in excess, or a missing one, may move a day's bounds as well.
    expect(
      named.filter(({ table }) => table !== 'transaction_days' || expected.table === table).length,
    ).toBeGreaterThanOrEqual(1);
    expect(differences).toBe(named.length);
  });

  it('a checkpoint ahead of the log', async () => {
    await threeCollections(history);
    const end = history.log.events.at(-1)?.position ?? 0n;
    await history.tamper('update checkpoint set position = position + 1');
    const expected = {
      table: 'checkpoint',
      field: 'position',
      expected: String(end),
      found: String(end + 1n),
    };
    expect((await history.verify()).named).toEqual([expected]);
  });

  it('a lost batch, as after a partial restore', async () => {
    const [stream = ''] = await threeCollections(history);
    history.flag(stream);
    history.pay(await history.intend('D'));
    const last = history.log.events.at(-1);
    await history.tamper(
      `update checkpoint set position = ${last?.position}, stream = '${last?.stream}', revision = ${last?.revision}, event_id = '${last?.id}'`,
    );
    const { differencesByTable } = await history.verify();
    expect(Object.fromEntries(differencesByTable)).toMatchObject({
      transactions: 2,
      ledger_entries: 3,
      balances: 6,
      reviews: 1,
    });
  });

  it('legs in the log that do not sum to zero', async () => {
    const stream = await history.intend('A');
    const legs = suspenseLegs({ rail: 'mpesa', amountMinor: 100n }).slice(1);
    history.append(stream, { type: 'SuspensePosted', data: { amountMinor: 100n, legs } });
    await history.project();
    expect((await history.verify()).named).toMatchObject([
      { table: 'events', field: 'legs', expected: '0', found: '100', stream },
    ]);
  });

  it('all differences are counted, and the first ones named', async () => {
    await threeCollections(history);
    await history.tamper('delete from ledger_entries');
    const store = new ReadOnlyLog(history.log);
    const report = await verifyViews({ store, database: history.database, maxNamed: 2 });
    expect(report.differences).toBe(6);
    expect(report.named).toHaveLength(2);
  });
});

describe('a difference in payouts is reported as well:', () => {
  const stream = 'payout-demo:m-1:open';
  it.each([
    [
      'one that nobody sends',
      `delete from open_payouts where stream = '${stream}'`,
      { table: 'open_payouts', field: 'row', expected: 'a row', found: null, reference: 'open' },
    ],
    [
      'one that is sent again',
      `update open_payouts set step = 'approved' where stream = '${stream}'`,
      { table: 'open_payouts', field: 'step', expected: 'started', found: 'approved', stream },
    ],
    [
      'one that is not asked about by its name',
      `update open_payouts set originator_conversation_id = 'pp-x' where stream = '${stream}'`,
      { table: 'open_payouts', expected: 'pp-open', found: 'pp-x' },
    ],
    [
      'a number that was paid, and counts as new',
      `delete from paid_numbers`,
      { table: 'paid_numbers', expected: 'h', found: null, account: 'demo:1001' },
    ],
    [
      'a number that was never paid',
      `insert into paid_numbers values ('demo', '1001', 'other')`,
      { table: 'paid_numbers', expected: null, found: 'other' },
    ],
    [
      'a batch that nobody finishes',
      `delete from payout_batches`,
      { table: 'payout_batches', field: 'row', expected: 'a row', found: null },
    ],
    [
      'a batch whose payouts count as approved before they are',
      `update payout_batches set approved = approved + 1`,
      { table: 'payout_batches', field: 'approved', expected: '2', found: '3' },
    ],
    [
      'an operator’s limit',
      `update payout_terms set max_minor = max_minor * 10`,
      { table: 'payout_terms', field: 'max_minor', expected: '5000', found: '50000' },
    ],
    [
      'a number that no operator named',
      `update payout_terms set destinations = array_append(destinations, 'other')`,
      { table: 'payout_terms', field: 'destinations', expected: 'h', found: 'h other' },
    ],
  ])('%s', async (_what, statement, difference) => {
    history.payOut('open', 'request', 'approve', 'start');
    history.payOut('paid', 'request', 'approve', 'start', 'pay');
    history.payOutBatch('wages', 'approve', 'start', 'pay');
    history.boundPayouts();
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
    await history.tamper(statement);
    expect(await history.verify()).toMatchObject({
      differences: 1,
      named: [expect.objectContaining(difference)],
    });
  });
});
