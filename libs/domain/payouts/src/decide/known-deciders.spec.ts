import { Pipeline } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { happened } from '../../test/scene.js';
import { type Acting, knownToBeTwo, mayAsk } from './known-deciders.js';

const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];
const two = { ok: true, value: undefined };
const refused = (refusal: string) => ({ ok: false, refusal });

let log: MemoryLog;
let pipeline: Pipeline;
beforeEach(() => {
  log = new MemoryLog();
  pipeline = new Pipeline(log, { next: () => 'id' });
});

/** Binds the merchant's holders, the oldest binding first. */
async function bind(...bindings: readonly object[]): Promise<void> {
  await happened(log, 'merchant-m', [
    ['MerchantRegistered', { merchantId: 'm' }],
    ['AccountOpened', { accountNo: '1', mode: 'live', currency: 'KES' }],
    ...bindings.map((data) => ['HolderBound', data] as const),
  ]);
}

const holder = (name: string): Acting => ({ holder: name });
const person = (id: string): Acting => ({ holder: id, person: id });
const ask = (mode: Mode, by: Acting) => mayAsk(pipeline, { merchantId: 'm', mode }, by);
const known = (mode: Mode, asker: Acting, approver: Acting) =>
  knownToBeTwo(pipeline, { merchantId: 'm', mode }, [asker, approver]);

describe('in live mode', () => {
  it('a holder that is bound to nothing neither asks nor approves', async () => {
    await bind({ holder: 'maker', person: asha });
    expect(await ask('live', holder('till'))).toEqual(refused('unbound_holder'));
    expect(await ask('live', holder('maker'))).toEqual(two);
    expect(await ask('live', person(joseph))).toEqual(two);
    expect(await known('live', holder('one'), holder('other'))).toEqual(refused('unbound_holder'));
    expect(await known('live', holder('maker'), holder('other'))).toEqual(
      refused('unbound_holder'),
    );
    expect(await known('live', holder('one'), holder('maker'))).toEqual(refused('unbound_holder'));
  });

  it('two holders are two if they are bound to two', async () => {
    await bind(
      { holder: 'maker', person: asha },
      { holder: 'checker', person: joseph },
      { holder: 'payroll', system: 'payroll' },
      { holder: 'payroll 2', system: 'Payroll' },
    );
    expect(await known('live', holder('maker'), holder('checker'))).toEqual(two);
    expect(await known('live', holder('payroll'), holder('checker'))).toEqual(two);
    expect(await known('live', holder('payroll'), holder('payroll 2'))).toEqual(
      refused('same_holder'),
    );
    expect(await known('live', holder('maker'), person(asha))).toEqual(refused('same_holder'));
    expect(await known('live', holder('MAKER'), person(joseph))).toEqual(two);
  });

  it('a suspended person neither asks nor approves by the credentials that are bound to them', async () => {
    await bind({ holder: 'maker', person: asha }, { holder: 'checker', person: joseph });
    const data = { person: asha, name: 'Asha', proposedBy: joseph };
    await happened(log, 'platform-roles', [['AdminSuspended', data]]);
    expect(await ask('live', holder('maker'))).toEqual(refused('unbound_holder'));
    expect(await ask('live', holder('checker'))).toEqual(two);
    for (const both of [
      ['maker', 'checker'],
      ['checker', 'maker'],
    ] as const)
      expect(await known('live', holder(both[0]), holder(both[1]))).toEqual(
        refused('unbound_holder'),
      );
  });

  it('who has a machine of npm start, and signed in nowhere, is nobody', async () => {
    const owner = person('http://localhost:8095#machine:root');
    await bind({ holder: 'maker', person: asha });
    expect(await ask('live', owner)).toEqual(refused('unbound_holder'));
    expect(await known('live', holder('maker'), owner)).toEqual(refused('unbound_holder'));
  });
});

describe.each(['live', 'demo'] as const)('in %s mode', (mode) => {
  it('a person who acts themselves still has the role when the request takes effect', async () => {
    await bind({ holder: 'maker', person: asha }, { holder: 'checker', person: joseph });
    const role = { person: joseph, name: 'Joseph', proposedBy: asha };
    const admin = { ...role, person: asha, role: 'admin' };
    const finance = { ...role, role: 'finance', merchantId: 'm' };
    const note = (type: string, data: object): Promise<void> =>
      happened(log, 'platform-roles', [[type, data]]);
    const outcomes = async () => [
      await known(mode, holder('maker'), person(joseph)),
      await ask(mode, person(joseph)),
      await known(mode, holder('maker'), { ...person(joseph), credential: 'c' }),
    ];
    expect(await outcomes()).toEqual([two, two, two]);
    await note('RoleGranted', admin);
    const no = refused('role_lost');
    expect(await outcomes()).toEqual([no, no, two]);
    await note('RoleGranted', finance);
    expect(await outcomes()).toEqual([two, two, two]);
    await note('RoleRevoked', finance);
    expect(await outcomes()).toEqual([no, no, two]);
  });

  it('nobody approves what a holder asked for that was theirs', async () => {
    await bind({ holder: 'till', person: asha }, { holder: 'till', person: joseph });
    expect(await known(mode, holder('till'), person(asha))).toEqual(refused('same_holder'));
  });

  it('nobody who was the one holder approves as, or asks as, the other', async () => {
    await bind(
      { holder: 'till', person: asha },
      { holder: 'till', person: joseph },
      { holder: 'Office', person: asha },
    );
    expect(await known(mode, holder('till'), holder('office'))).toEqual(refused('same_holder'));
    expect(await known(mode, holder('office'), holder('till'))).toEqual(refused('same_holder'));
  });
});

it('a binding that one person made before there was anything live is no identity in live mode', async () => {
  const early = { holder: 'till', system: 'till' };
  const byTwo = { holder: 'office', system: 'office', proposedBy: asha, confirmedBy: joseph };
  await happened(log, 'merchant-m', [
    ['MerchantRegistered', { merchantId: 'm' }],
    ['HolderBound', early],
    ['HolderBound', byTwo],
    ['AccountOpened', { accountNo: '1', mode: 'live', currency: 'KES' }],
  ]);
  expect(await ask('live', holder('till'))).toEqual(refused('unbound_holder'));
  expect(await ask('live', holder('office'))).toEqual(two);
  expect(await known('live', holder('till'), holder('office'))).toEqual(refused('unbound_holder'));
  expect(await known('demo', holder('till'), holder('office'))).toEqual(two);
});

it('a system that is called as a person is that person', async () => {
  await bind({ holder: 'maker', person: asha }, { holder: 'checker', system: asha });
  for (const mode of ['live', 'demo'] as const)
    expect(await known(mode, holder('maker'), holder('checker'))).toEqual(refused('same_holder'));
});

it('no system that ever was the one holder approves as, or asks as, the other', async () => {
  await bind(
    { holder: 'till', system: 'payroll' },
    { holder: 'till', person: joseph },
    { holder: 'office', system: 'Payroll' },
    { holder: 'shop', system: 'shop' },
  );
  expect(await known('live', holder('till'), holder('office'))).toEqual(refused('same_holder'));
  expect(await known('live', holder('office'), holder('till'))).toEqual(refused('same_holder'));
  expect(await known('live', holder('till'), holder('shop'))).toEqual(two);
});

it('in demo mode two holders that are bound to nothing are two', async () => {
  await bind();
  expect(await ask('demo', holder('one'))).toEqual(two);
  expect(await known('demo', holder('one'), holder('other'))).toEqual(two);
  expect(await known('demo', holder('one'), person(asha))).toEqual(refused('unbound_holder'));
});
