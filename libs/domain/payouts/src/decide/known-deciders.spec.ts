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
  it('a holder that is bound to no one neither requests nor approves', async () => {
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

  it('two holders count as two if they are bound to two people or systems', async () => {
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

  it('a suspended person neither requests nor approves by the credentials bound to them', async () => {
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

  it('the owner of an npm start machine who never signed in neither requests nor approves', async () => {
    const owner = person('http://localhost:8095#machine:root');
    await bind({ holder: 'maker', person: asha });
    expect(await ask('live', owner)).toEqual(refused('unbound_holder'));
    expect(await known('live', holder('maker'), owner)).toEqual(refused('unbound_holder'));
  });
});

describe.each(['live', 'demo'] as const)('in %s mode', (mode) => {
  it('a person who acts in person must still have the role when the request takes effect', async () => {
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

  it('a person does not approve the request of a holder that was bound to them', async () => {
    await bind({ holder: 'till', person: asha }, { holder: 'till', person: joseph });
    expect(await known(mode, holder('till'), person(asha))).toEqual(refused('same_holder'));
  });

  it('a person who was bound to one holder cannot request or approve as the other', async () => {
    await bind(
      { holder: 'till', person: asha },
      { holder: 'till', person: joseph },
      { holder: 'Office', person: asha },
    );
    expect(await known(mode, holder('till'), holder('office'))).toEqual(refused('same_holder'));
    expect(await known(mode, holder('office'), holder('till'))).toEqual(refused('same_holder'));
  });
});

it('a binding made by one person before anything was live does not count in live mode', async () => {
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

it('a system with the id of a person counts as that person', async () => {
  await bind({ holder: 'maker', person: asha }, { holder: 'checker', system: asha });
  for (const mode of ['live', 'demo'] as const)
    expect(await known(mode, holder('maker'), holder('checker'))).toEqual(refused('same_holder'));
});

it('a system that was bound to one holder cannot request or approve as the other', async () => {
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

it('in demo mode two unbound holders count as two', async () => {
  await bind();
  expect(await ask('demo', holder('one'))).toEqual(two);
  expect(await known('demo', holder('one'), holder('other'))).toEqual(two);
  expect(await known('demo', holder('one'), person(asha))).toEqual(refused('unbound_holder'));
});
