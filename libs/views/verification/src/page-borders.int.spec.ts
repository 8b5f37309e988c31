import { merchantStream } from '#domain/merchants';
import { type History, useHistory } from '#testing';
import { describe, expect, it } from '@jest/globals';

let history: History;
useHistory((begun) => {
  history = begun;
});

const sectionPositions = 2n ** 24n;

describe('the sums of sections', () => {
  /** Pays three collections, each in a section of its own. */
  async function paidInSections(): Promise<void> {
    for (const reference of ['A', 'B', 'C']) {
      history.log.skip(sectionPositions);
      history.pay(await history.intend(reference));
    }
    await history.project();
  }

  it('are compared section by section, and rows without entries page by page', async () => {
    await paidInSections();
    expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
    const extra = 20_001;
    await history.tamper(
      `update ledger_sections set credits_minor = credits_minor + 1 where account = 'wallet:1001' and section = 2`,
    );
    await history.tamper(`delete from ledger_sections where account = 'fees' and section = 3`);
    await history.tamper(
      `insert into ledger_sections
       select 'demo', 'KES', 'wallet:1001', 100 + i, 1, 0, 1, 0, 0, 0, 0, 0 from generate_series(1, ${extra}) i`,
    );
    const { named, differencesByTable } = await history.verify();
    expect(Object.fromEntries(differencesByTable)).toEqual({ ledger_sections: 2 + extra });
    const table = 'ledger_sections';
    const [wallet, fees] = ['demo:KES:wallet:1001', 'demo:KES:fees'];
    expect(named.slice(0, 3)).toEqual([
      { table, account: `${wallet} 2`, field: 'credits_minor', expected: '9850', found: '9851' },
      { table, account: `${fees} 3`, field: 'row', expected: 'a row', found: null },
      { table, account: `${wallet} 101`, field: 'row', expected: null, found: 'a row' },
    ]);
  });

  it('have no row for a number that is no section', async () => {
    await paidInSections();
    await history.tamper(
      `update ledger_sections set section = section + (1::bigint << 40) where account = 'fees' and section = 3`,
    );
    expect((await history.verify()).named).toMatchObject([
      { account: 'demo:KES:fees 3', expected: 'a row', found: null },
      { expected: null, found: 'a row' },
    ]);
  });

  it('include those of collections and payouts', async () => {
    await paidInSections();
    history.payOut('wage', 'request', 'approve', 'start', 'pay');
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0 });
    await history.tamper(
      `update ledger_sections set collected_minor = collected_minor + 1, payouts = payouts + 1
       where account = 'wallet:1001' and section = 3`,
    );
    expect((await history.verify()).named).toMatchObject([
      { field: 'payouts', expected: '1', found: '2' },
      { field: 'collected_minor', expected: '10000', found: '10001' },
    ]);
  });

  it('are not compared if the entries that they sum differ from the log', async () => {
    await paidInSections();
    await history.tamper(`update ledger_entries set amount_minor = 7 where account = 'fees'`);
    const { differencesByTable } = await history.verify();
    expect(Object.fromEntries(differencesByTable)).toEqual({ ledger_entries: 3 });
  });
});

describe('the acts of people', () => {
  /** The number of lines on a page is 2,000. */
  const acts = 4100;

  it('are compared page by page', async () => {
    const type = 'FeeScheduleSet' as const;
    const data = { mode: 'demo', basisPoints: 150, flatMinor: 5n } as const;
    const { events } = history.log;
    const before = events.length;
    history.append('merchant-m-1', ...Array.from({ length: acts }, () => ({ type, data })));
    for (const [index, event] of events.entries())
      if (index >= before)
        events[index] = {
          ...event,
          metadata: { ...event.metadata, actor: { kind: 'operator', id: 'amina' } },
        };
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
    const at = (index: number): string => String(events[before + index]?.position);
    await history.tamper(`delete from acts where position = ${at(1999)}`);
    await history.tamper(`update acts set actor = 'joseph' where position = ${at(2000)}`);
    await history.tamper(
      `insert into acts select (jsonb_populate_record(a, jsonb_build_object('position', position + 1))).*
       from acts a where position in (${at(3999)}, ${at(acts - 1)})`,
    );
    const row = { table: 'acts', field: 'row' };
    expect((await history.verify()).named).toEqual([
      { ...row, position: at(1999), expected: 'a row', found: null },
      {
        table: 'acts',
        position: at(2000),
        field: 'actor',
        expected: 'amina',
        found: 'joseph',
      },
      ...[3999, acts - 1].map((index) => ({
        ...row,
        position: String(BigInt(at(index)) + 1n),
        expected: null,
        found: 'a row',
      })),
    ]);
  });
});

describe('the days of wallets', () => {
  /** A page has 1,000 wallets, and one statement compares some 500 with few entries. */
  const wallets = 1201;
  const accountNo = (n: number): string => String(2000 + n);

  it('are compared group by group of wallets, and rows of no wallet page by page', async () => {
    const numbers = Array.from({ length: wallets }, (_, n) => n);
    for (const n of numbers)
      history.append(merchantStream('m-1'), {
        type: 'AccountOpened',
        data: { accountNo: accountNo(n), mode: 'demo', currency: 'KES' },
      });
    for (const n of numbers)
      history.correct([
        { account: 'fees', amountMinor: -100n },
        { account: `wallet:${accountNo(n)}`, amountMinor: 100n },
      ]);
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
    const of = (n: number): string => `account_no = '${accountNo(n)}'`;
    await history.tamper(`update account_days set debits_minor = 7 where ${of(0)}`);
    await history.tamper(`delete from account_days where ${of(999)}`);
    await history.tamper(
      `insert into account_days
       select mode, currency, account_no, day + 400, 1, 0 from account_days where ${of(1000)}`,
    );
    await history.tamper(`update account_days set credits_minor = 9 where ${of(wallets - 1)}`);
    await history.tamper(
      `insert into account_days values ('demo', 'KES', '9', '2026-11-20', 1, 0)`,
    );
    const { named } = await history.verify();
    expect(named.map(({ table }) => table)).toEqual(Array(5).fill('account_days'));
    expect(named).toMatchObject([
      { field: 'debits_minor', expected: '0', found: '7' },
      { field: 'row', expected: 'a row', found: null },
      { field: 'row', expected: null, found: 'a row' },
      { field: 'credits_minor', expected: '100', found: '9' },
      { account: 'demo:KES:9 2026-11-20', field: 'row', expected: null, found: 'a row' },
    ]);
  });
});
