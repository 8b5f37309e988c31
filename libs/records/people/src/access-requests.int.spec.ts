import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { AccessRequests, maxOpenRequests, type NewAccessRequest } from './access-requests.js';
import { RecordedProposals } from './proposals.js';

let own: ThrowAwayDatabase;
let requests: AccessRequests;
beforeAll(async () => {
  own = await throwAwayDatabase();
  requests = new AccessRequests(own.database);
});
afterAll(() => own.drop());
beforeEach(() => own.database.query('truncate records.access_requests, records.proposals'));

const [owner, asha, joseph] = ['i#owner', 'i#asha', 'i#joseph'];
const request = (over: Partial<NewAccessRequest> = {}): NewAccessRequest => ({
  id: randomUUID(),
  kind: 'credential',
  merchantId: 'm',
  mode: 'live',
  about: randomUUID(),
  details: '{"b":1,"a":"\\u003cscript>"}',
  reason: 'new till',
  askedBy: owner,
  ...over,
});
const statusOf = async (id: string) => (await requests.find(id))?.status;

async function asked(over: Partial<NewAccessRequest> = {}) {
  const made = request(over);
  expect(await requests.ask(made)).toEqual({ ok: true, value: undefined });
  const found = await requests.find(made.id);
  if (!found) throw new TypeError('it was stored');
  return found;
}

/** A request that asha took up, with her proposal. */
async function takenUp() {
  const { id, digest } = await asked();
  expect(await requests.claim(id, digest, asha)).toBeDefined();
  const proposals = new RecordedProposals(own.database);
  const proposal = await proposals.open({
    id: randomUUID(),
    kind: 'credential',
    about: id,
    details: {},
    seen: '',
    reason: 'new till',
    proposedBy: asha,
  });
  await requests.noteProposal(id, asha, proposal.id);
  return { id, digest, proposals, proposal };
}

describe('a request for access', () => {
  it('is stored byte for byte, is open for 30 days and waits until an admin takes it up', async () => {
    const made = request();
    await requests.ask(made);
    const found = await requests.find(made.id);
    expect(found).toMatchObject({ ...made, status: 'sent' });
    const days = (Date.parse(found?.endsAt ?? '') - Date.parse(found?.askedAt ?? '')) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect((await requests.listSent(9)).map(({ id }) => id)).toEqual([made.id]);
    expect(await requests.find('no id')).toBeUndefined();
    await own.database.query('update records.access_requests set ends_at = records.now_()');
    expect(await statusOf(made.id)).toBe('expired');
    expect(await requests.listSent(9)).toEqual([]);
    expect(await requests.claim(made.id, found?.digest ?? '', asha)).toBeUndefined();
    expect(await requests.decline(made.id, asha, 'late')).toBe(false);
  });

  it('counts toward a bound for each merchant, however many ask at once, and only while it is open', async () => {
    const all = await Promise.all(
      Array.from({ length: maxOpenRequests + 3 }, () => requests.ask(request())),
    );
    expect(all.filter(({ ok }) => ok)).toHaveLength(maxOpenRequests);
    expect(await requests.ask(request())).toEqual({ ok: false, refusal: 'too_many' });
    await asked({ merchantId: 'another' });
    const [oldest] = await requests.listSent(1);
    expect(await requests.withdraw(oldest?.id ?? '', owner, 'm')).toBe('credential');
    await asked();
  });

  it('is not asked twice for the same while it is open', async () => {
    const { id } = await asked({ about: 'key' });
    const again = request({ about: 'key' });
    expect(await requests.ask(again)).toEqual({ ok: false, refusal: 'already_asked' });
    await asked({ about: 'key', merchantId: 'another' });
    await asked({ about: 'key', kind: 'ip_list' });
    await requests.decline(id, asha, 'no');
    expect(await requests.ask(again)).toMatchObject({ ok: true });
  });

  it('is claimed by one of two admins at once', async () => {
    const { id, digest } = await asked();
    const claims = await Promise.all([
      requests.claim(id, digest, asha),
      requests.claim(id, digest, joseph),
    ]);
    expect(claims.filter((claimed) => claimed !== undefined)).toHaveLength(1);
    expect(await statusOf(id)).toBe('taken');
    expect(await requests.withdraw(id, owner, 'm')).toBeUndefined();
    expect(await requests.decline(id, joseph, 'no')).toBe(false);
  });

  it('is not claimed with another content than was seen or asked for', async () => {
    const { id, digest } = await asked();
    const other = digest.replace(/^./, (first) => (first === '0' ? '1' : '0'));
    expect(await requests.claim(id, other, asha)).toBeUndefined();
    await own.database.query(`update records.access_requests set details = '{"b":2}'`);
    expect(await requests.claim(id, digest, asha)).toBeUndefined();
    expect(await requests.find(id)).toBeUndefined();
  });

  it('is open again if its claim led to nothing, by a refusal or a crash', async () => {
    const { id, digest } = await asked();
    await requests.claim(id, digest, asha);
    await requests.giveBack(id, joseph);
    expect(await statusOf(id)).toBe('taken');
    await requests.giveBack(id, asha);
    expect(await statusOf(id)).toBe('sent');
    await requests.claim(id, digest, asha);
    await own.database.query(
      `update records.access_requests set taken_at = records.now_() - interval '2 minutes'`,
    );
    expect(await requests.claim(id, digest, joseph)).toBeDefined();
    // The first admin's process goes on late.
    await requests.finish(id, asha);
    expect(await statusOf(id)).toBe('taken');
    await requests.finish(id, joseph);
    expect(await statusOf(id)).toBe('done');
  });

  it.each(['declined', 'withdrawn'] as const)(
    'is open again after its proposal was %s',
    async (outcome) => {
      const { id, digest, proposals, proposal } = await takenUp();
      expect(await statusOf(id)).toBe('taken');
      await proposals.end(proposal.id, outcome, joseph);
      expect(await statusOf(id)).toBe('sent');
      expect(await requests.claim(id, digest, joseph)).toBeDefined();
    },
  );

  it('is open again after its proposal expired, but not while an admin is confirming it', async () => {
    const { id, proposals, proposal } = await takenUp();
    await proposals.take(proposal.id, joseph);
    await own.database.query('update records.proposals set ends_at = records.now_()');
    expect(await statusOf(id)).toBe('taken');
    await proposals.giveBack(proposal.id, joseph);
    expect(await statusOf(id)).toBe('sent');
  });

  it('is open again ten minutes after the end of a proposal whose confirmation broke off', async () => {
    const { id, digest, proposals, proposal } = await takenUp();
    await proposals.take(proposal.id, joseph);
    const endedFor = (minutes: number) =>
      own.database.query(
        `update records.proposals set ends_at = records.now_() - $1 * interval '1 minute'`,
        [minutes],
      );
    await endedFor(9);
    expect(await statusOf(id)).toBe('taken');
    await endedFor(11);
    expect(await statusOf(id)).toBe('sent');
    expect((await requests.listSent(9)).map((request) => request.id)).toEqual([id]);
    // A confirmation that ends later still counts, as long as no admin took the request up again.
    await proposals.end(proposal.id, 'confirmed', joseph);
    expect(await statusOf(id)).toBe('done');

    const other = await takenUp();
    await other.proposals.take(other.proposal.id, joseph);
    await endedFor(11);
    expect(await requests.claim(other.id, other.digest, joseph)).toBeDefined();
    expect(await requests.claim(id, digest, joseph)).toBeUndefined();

    const third = await takenUp();
    await third.proposals.take(third.proposal.id, joseph);
    await endedFor(11);
    expect(await requests.withdraw(third.id, owner, 'm')).toBe('credential');
  });

  it('is done as soon as its proposal was confirmed, and names the asker to the second admin', async () => {
    const { id, digest, proposals, proposal } = await takenUp();
    expect(await requests.askersOf([proposal.id, randomUUID()])).toEqual(
      new Map([[proposal.id, owner]]),
    );
    await proposals.end(proposal.id, 'confirmed', joseph);
    expect(await statusOf(id)).toBe('done');
    expect(await requests.claim(id, digest, joseph)).toBeUndefined();
    expect(await requests.withdraw(id, owner, 'm')).toBeUndefined();
  });

  it('is declined with a reason, once, and withdrawn at its own merchant only', async () => {
    const { id } = await asked();
    expect(await requests.withdraw(id, owner, 'another')).toBeUndefined();
    expect(await requests.decline(id, asha, 'call us first')).toBe(true);
    expect(await requests.find(id)).toMatchObject({
      status: 'declined',
      endedReason: 'call us first',
    });
    expect(await requests.withdraw(id, owner, 'm')).toBeUndefined();
    const other = await asked();
    expect(await requests.withdraw(other.id, owner, 'm')).toBe('credential');
    expect(await statusOf(other.id)).toBe('withdrawn');
  });
});

it('a merchant’s requests are listed by kind and mode, the newest first; a role counts in both modes', async () => {
  const key = await asked();
  const { mode: _mode, ...ofRole } = request({ kind: 'role' });
  await requests.ask(ofRole);
  await asked({ merchantId: 'another' });
  const of = async (mode: 'demo' | 'live', kinds: readonly NewAccessRequest['kind'][]) =>
    (await requests.listOf({ merchantId: 'm', mode }, kinds, 9)).map(({ id }) => id);
  expect(await of('live', ['credential', 'role'])).toEqual([ofRole.id, key.id]);
  expect(await of('demo', ['credential', 'role'])).toEqual([ofRole.id]);
  expect(await of('live', ['ip_list'])).toEqual([]);
});
