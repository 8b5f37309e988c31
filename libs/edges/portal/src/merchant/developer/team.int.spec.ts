import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { foreignMarkup, hostile } from '#testing';
import { DeveloperPortal } from '../../../test/developer-portal.js';
import { english } from './developer-texts.en.js';

const portal = new DeveloperPortal();
const { team: words, access } = english;
const idOf = (subject: string) => `${portal.issuer.url}#${subject}`;
const reason = 'new colleague';
const form = () => ({ name: 'Zuri Ali', person: idOf('zuri'), role: 'finance', reason });
const stored = () =>
  portal.database.query<{ readonly id: string; readonly details: string }>(
    'select * from records.access_requests order by asked_at',
  );

beforeAll(async () => {
  await portal.start();
  const grantedAt = instantFromMs(Date.UTC(2024, 0, 15));
  const of = { grantedAt, isSuspended: false, proposedBy: 'spec', role: 'finance' } as const;
  const { merchantId } = portal;
  portal.held = [
    { ...of, person: idOf('1'), name: 'Asha Ali', merchantId },
    { ...of, person: idOf('2'), name: 'Juma Other', merchantId: 'another' },
    { ...of, person: idOf('3'), name: 'Grace Admin', role: 'admin' },
  ];
});
afterAll(() => portal.stop());
beforeEach(() =>
  portal.database.query('truncate records.access_requests, records.portal_held_forms'),
);

it('the team is the people of this merchant, for its owner alone', async () => {
  const owner = await portal.signedIn('owner', 'owner');
  const { text } = await owner.get(portal.page('team'));
  expect(text).toContain('Asha Ali');
  expect(text).toContain(words.decided);
  for (const other of ['Juma', 'Grace']) expect(text).not.toContain(other);
  const developer = await portal.signedIn('dee', 'developer', 'finance');
  expect((await developer.get(portal.page('team'))).status).toBe(403);
});

describe('a role for a colleague', () => {
  it('is requested by an owner with proof of presence, and changes nothing by itself', async () => {
    const owner = await portal.signedIn('owner', 'owner');
    const target = portal.page('team/ask');
    const { shown, answer } = await portal.carryOut(owner, 'owner', target, form());
    for (const told of ['Zuri Ali', idOf('zuri'), words.roles.finance, reason, access.decided])
      expect(shown).toContain(told);
    expect(answer.location).toContain('/team?done=request_sent');
    const [request, ...others] = await stored();
    expect(others).toEqual([]);
    expect(request).toMatchObject({ kind: 'role', mode: null, reason, asked_by: idOf('owner') });
    const { merchantId } = portal;
    const { reason: _reason, ...terms } = form();
    expect(JSON.parse(request?.details ?? '')).toEqual({ ...terms, merchantId });
    for (const table of ['records.proposals', 'records.review_proposals'])
      expect(await portal.database.query(`select 1 from ${table}`)).toEqual([]);
    for (const mode of ['demo', 'live']) {
      const { text } = await owner.get(portal.page('team', mode));
      expect(text).toContain(access.states.sent);
    }
  });

  it.each([
    ['person', 'zuri', () => words.wrongPerson],
    ['person', 'https://other.example#zuri', () => words.wrongPerson],
    ['name', '', () => english.reasonProblems.words_length],
    ['name', 'Call 0712345678', () => english.reasonProblems.words_hold_phone],
    ['role', 'admin', () => words.wrongRole],
    ['role', 'support', () => words.wrongRole],
    ['reason', '', () => english.reasonProblems.words_length],
  ])('with %s %j is refused at that field before any proof', async (field, typed, told) => {
    const owner = await portal.signedIn('owner', 'owner');
    const sent = { ...form(), [field]: typed };
    const { answer } = await portal.send(owner, portal.page('team/ask'), sent);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(new RegExp(`id="ask_${field}"[^>]*aria-invalid="true"`));
    expect(answer.text).toContain(told());
    expect(await stored()).toEqual([]);
  });

  it('is not requested if the person has it', async () => {
    const owner = await portal.signedIn('owner', 'owner');
    const sent = { ...form(), person: idOf('1') };
    const { answer } = await portal.send(owner, portal.page('team/ask'), sent);
    expect([answer.status, answer.text.includes(words.hasRole)]).toEqual([422, true]);
  });

  it('is shown as text on every page, regardless of what was typed', async () => {
    const owner = await portal.signedIn('owner', 'owner');
    const name = hostile.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
    const sent = { ...form(), name, reason: name };
    await portal.carryOut(owner, 'owner', portal.page('team/ask'), sent);
    expect(await stored()).toHaveLength(1);
    const { text } = await owner.get(portal.page('team'));
    expect(foreignMarkup(text)).toEqual([]);
  });

  it('cannot be requested by any other role or by an operator', async () => {
    for (const one of [
      await portal.signedIn('dee', 'developer', 'finance'),
      await portal.signedIn('grace', { role: 'admin' }),
    ])
      for (const path of ['team/ask', 'team/ask-removal', 'access/withdraw']) {
        const { answer } = await portal.send(one, portal.page(path), form());
        expect([path, answer.status]).toEqual([path, 403]);
      }
  });
});

describe('a role’s removal', () => {
  it('is requested as the role is held, and is rejected if the role is not held', async () => {
    const owner = await portal.signedIn('owner', 'owner');
    const target = portal.page('team/ask-removal');
    const fields = { person: idOf('1'), role: 'finance', reason };
    const { shown } = await portal.carryOut(owner, 'owner', target, fields);
    expect(shown).toContain('Asha Ali');
    const [request] = await stored();
    const { merchantId } = portal;
    expect(JSON.parse(request?.details ?? '')).toEqual({
      person: idOf('1'),
      name: 'Asha Ali',
      role: 'finance',
      merchantId,
    });
    for (const person of ['2', '3']) {
      const { answer } = await portal.send(owner, target, { ...fields, person: idOf(person) });
      expect(answer.status).toBe(409);
    }
  });
});

describe('a request', () => {
  it('is withdrawn by an owner without another proof, once', async () => {
    const owner = await portal.signedIn('owner', 'owner');
    await portal.carryOut(owner, 'owner', portal.page('team/ask'), form());
    const [request] = await stored();
    const withdraw = () =>
      portal.send(owner, portal.page('access/withdraw'), { request: request?.id ?? '' });
    expect((await withdraw()).answer.location).toContain('/team?done=request_withdrawn');
    expect((await owner.get(portal.page('team'))).text).toContain(access.states.withdrawn);
    expect((await withdraw()).answer.status).toBe(409);
  });
});
