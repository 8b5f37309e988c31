import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Proposal } from '#domain/proposals';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { RecordedProposals } from './proposals.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];
const proposal = (about: string): Proposal => ({
  id: randomUUID(),
  kind: 'credential',
  about,
  merchantId: 'm',
  mode: 'live',
  details: { ips: ['10.0.0.1'], amountMinor: '9007199254740993' },
  seen: '{}',
  reason: 'because',
  proposedBy: asha,
});
const ids = (proposals: readonly Proposal[]): readonly string[] => proposals.map(({ id }) => id);

it('proposals stay open, one for each subject, until they are replaced, ended or 24 hours old', async () => {
  const proposals = new RecordedProposals(own.database);
  const [first, other] = [proposal('one'), proposal('other')];
  const opened = await proposals.open(first);
  expect(opened).toMatchObject(first);
  const minutes = (Date.parse(opened.endsAt) - Date.parse(opened.proposedAt)) / 60_000;
  expect(Math.round(minutes)).toBe(24 * 60);
  await proposals.open(other);
  const again = await proposals.open(proposal('one'));
  expect(ids(await proposals.listOpen(10))).toEqual([other.id, again.id]);
  expect(ids(await proposals.listOpen(1))).toEqual([other.id]);
  expect(await proposals.findOpen(first.id)).toBeUndefined();
  expect(await proposals.findOpen('no id')).toBeUndefined();

  const old = `update records.proposals set ends_at = records.now_() where id = $1`;
  await own.database.query(old, [other.id]);
  expect(await proposals.findOpen(other.id)).toBeUndefined();
  expect(await proposals.take(other.id, joseph)).toBe(false);
  expect(ids(await proposals.listOpen(10))).toEqual([again.id]);
});

it('a proposal that an admin is confirming cannot be confirmed or declined by another admin', async () => {
  const proposals = new RecordedProposals(own.database);
  const { id } = await proposals.open(proposal('taken'));
  expect(await proposals.take(id, joseph)).toBe(true);
  expect(await proposals.take(id, joseph)).toBe(true);
  expect(await proposals.take(id, asha)).toBe(false);
  expect(await proposals.end(id, 'declined', asha)).toBe(false);
  await proposals.giveBack(id, joseph);
  expect(await proposals.take(id, asha)).toBe(true);
  expect(await proposals.end(id, 'confirmed', asha)).toBe(true);
  expect(await proposals.wasConfirmed(id)).toBe(true);
  expect(await proposals.end(id, 'declined', joseph)).toBe(false);
});

it('a suspension ends only its person’s open proposals; one that is being confirmed stays', async () => {
  const proposals = new RecordedProposals(own.database);
  const wanjiru = 'https://id.example#wanjiru';
  const of = (about: string, proposedBy: string) =>
    proposals.open({ ...proposal(`suspended ${about}`), proposedBy });
  const [open, taken, withdrawn, others] = [
    await of('open', wanjiru),
    await of('taken', wanjiru),
    await of('withdrawn', wanjiru),
    await of('others', asha),
  ];
  await proposals.take(taken.id, joseph);
  await proposals.end(withdrawn.id, 'withdrawn', wanjiru);
  await proposals.endAllBy(wanjiru, joseph);
  const rows = await own.database.query(
    `select id, outcome, ended_by as by from records.proposals where about like 'suspended %' order by about`,
  );
  expect(rows).toEqual([
    { id: open.id, outcome: 'declined', by: joseph },
    { id: others.id, outcome: null, by: null },
    { id: taken.id, outcome: null, by: null },
    { id: withdrawn.id, outcome: 'withdrawn', by: wanjiru },
  ]);
});

it('proposals are listed by their kind', async () => {
  const proposals = new RecordedProposals(own.database);
  const role = await proposals.open({ ...proposal('a person'), kind: 'role' });
  expect(ids(await proposals.listOpen(10, 'role'))).toEqual([role.id]);
  expect(ids(await proposals.listOpen(10))).toContain(role.id);
});

it('a role proposed before roles were proposals keeps its id, its end and its decision', async () => {
  const { database } = own;
  const migration = (name: string): Promise<string> =>
    readFile(`migrations/records/${name}.sql`, 'utf8');
  const [open, merchants, decided] = [randomUUID(), randomUUID(), randomUUID()];
  const insert = `
    insert into records.role_proposals (id, person, name, role, merchant_id, reason, proposed_by, ended_at, ended_by, outcome)
      values ($1, 'i#amina', 'Amina', 'finance', $2, 'hired', 'i#asha', $3, $4, $5)`;
  await database.query(insert, [open, null, null, null, null]);
  await database.query(insert, [merchants, 'm1', null, null, null]);
  await database.query(insert, [decided, null, new Date(), 'i#joseph', 'decided']);
  const before = await database.query<{ ends_at: Date }>(
    'select ends_at from records.role_proposals where id = $1',
    [open],
  );
  await database.query(await migration('0061_roles_are_proposals'));
  const proposals = new RecordedProposals(database);
  const terms = { person: 'i#amina', name: 'Amina', role: 'finance' };
  expect(await proposals.findOpen(open)).toMatchObject({
    kind: 'role',
    details: terms,
    reason: 'hired',
    proposedBy: 'i#asha',
    endsAt: before[0]?.ends_at.toISOString(),
  });
  expect(await proposals.findOpen(merchants)).toMatchObject({
    merchantId: 'm1',
    details: { ...terms, merchantId: 'm1' },
  });
  expect(await proposals.findOpen(decided)).toBeUndefined();
  expect(await proposals.wasConfirmed(decided)).toBe(true);
});
