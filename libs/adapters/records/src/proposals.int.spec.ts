import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
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

it('proposals wait, one for each thing, until they are replaced, ended or 24 h old', async () => {
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

it('a proposal that an admin is confirming is taken by no other, and not declined', async () => {
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
