import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type RoleTerms } from '#domain/people';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { RecordedRoleProposals } from './role-proposals.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

const person = 'https://id.example#amina';
const proposal = (terms: RoleTerms) => ({
  id: randomUUID(),
  terms,
  reason: 'because',
  proposedBy: 'https://id.example#asha',
});
const platform = proposal({ role: 'finance', person, name: 'Amina' });
const merchant = proposal({ role: 'finance', merchantId: 'm1', person, name: 'Amina' });

it('proposals of roles wait, one for each person and role, until they are replaced, ended or 24 h old', async () => {
  const proposals = new RecordedRoleProposals(own.database);
  const opened = await proposals.open(platform);
  expect(opened).toMatchObject(platform);
  // Compare to the minute: the database reads its clock for each of them.
  const minutes = (Date.parse(opened.endsAt) - Date.parse(opened.proposedAt)) / 60_000;
  expect(Math.round(minutes)).toBe(24 * 60);
  await proposals.open(merchant);
  const again = { ...platform, id: randomUUID(), reason: 'for another reason' };
  await proposals.open(again);
  expect((await proposals.listOpen()).map(({ id }) => id)).toEqual([merchant.id, again.id]);
  expect(await proposals.findOpen(platform.id)).toBeUndefined();
  expect(await proposals.findOpen(merchant.id)).toMatchObject(merchant);
  expect(await proposals.findOpen('no id')).toBeUndefined();

  await proposals.end(merchant.id, 'decided', 'https://id.example#joseph');
  await proposals.end(merchant.id, 'declined', 'https://id.example#asha');
  const [ended] = await own.database.query<{ outcome: string; by: string }>(
    'select outcome, ended_by as by from records.role_proposals where id = $1',
    [merchant.id],
  );
  expect(ended).toEqual({ outcome: 'decided', by: 'https://id.example#joseph' });

  const old = `update records.role_proposals set ends_at = records.now_() where id = $1`;
  await own.database.query(old, [again.id]);
  expect(await proposals.findOpen(again.id)).toBeUndefined();
  expect(await proposals.listOpen()).toEqual([]);
  await proposals.open({ ...platform, id: randomUUID() });
  expect(await proposals.listOpen()).toHaveLength(1);
});

it('a suspension ends the open proposals of its person alone, and what has ended stays as it is', async () => {
  const proposals = new RecordedRoleProposals(own.database);
  const [suspended, joseph] = ['https://id.example#wanjiru', 'https://id.example#joseph'];
  const of = (proposedBy: string, role: 'finance' | 'support' | 'admin') => {
    const { terms, ...rest } = proposal({
      role,
      person: 'https://id.example#njeri',
      name: 'Njeri',
    });
    return { ...rest, terms, proposedBy };
  };
  const [open, declined, others] = [
    of(suspended, 'finance'),
    of(suspended, 'support'),
    of('https://id.example#asha', 'admin'),
  ] as const;
  for (const each of [open, declined, others]) await proposals.open(each);
  await proposals.end(declined.id, 'declined', suspended);
  await proposals.endAllBy(suspended, joseph);
  const rows = await own.database.query(
    `select id, outcome, ended_by as by from records.role_proposals
       where person = 'https://id.example#njeri' order by role desc`,
  );
  expect(rows).toEqual([
    { id: declined.id, outcome: 'declined', by: suspended },
    { id: open.id, outcome: 'declined', by: joseph },
    { id: others.id, outcome: null, by: null },
  ]);
  expect(await proposals.findOpen(open.id)).toBeUndefined();
  expect(await proposals.findOpen(others.id)).toMatchObject(others);
});
