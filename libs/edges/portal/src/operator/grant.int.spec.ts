import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pipeline } from '#domain/event-sourcing';
import { ok } from '#domain/kernel';
import { PeopleModule, roleDecider, type RoleEvent, roleStream } from '#domain/people';
import { UuidIds } from '#infra/runtime';
import { type Browser } from '../../test/browser.js';
import { DeveloperPortal } from '../../test/developer-portal.js';
import { maxChoices, RoleChoices } from './grant-form.js';
import { english } from './operator-texts.en.js';
import { swahili } from './operator-texts.sw.js';
import { PageContexts } from './page-contexts.js';
import { WaitingChanges } from './proposals.controller.js';
import { RolesController, RolesNow } from './roles.controller.js';

const portal = new DeveloperPortal({
  controllers: [RolesController],
  providers: [PageContexts, RoleChoices, RolesNow, WaitingChanges],
  modules: [PeopleModule],
  hasOwnLog: true,
});
const { roles: words } = english;
const target = '/portal/roles';
const reason = 'on call from December';
const idOf = (subject: string) => `${portal.issuer.url}#${subject}`;
const typed = (role: string, merchant = '') => ({
  role_person: '',
  role_other_person: idOf('zuri'),
  role_name: 'Zuri Ali',
  role_role: role,
  role_merchant: merchant,
  role_reason: reason,
});

const roleEvents = () => portal.store.readStream<RoleEvent>(roleStream);
const proposals = () =>
  portal.database.query('select * from records.proposals order by proposed_at');
const written = async () => [(await roleEvents()).length, (await proposals()).length];

let grace: Browser;

beforeAll(async () => {
  await portal.start();
  const metadata = { correlationId: 'spec', actor: { kind: 'operator', id: 'spec' } } as const;
  const admins = ['grace', 'joseph'].map((name): RoleEvent => {
    const data = { person: idOf(name), name, role: 'admin', proposedBy: 'spec' } as const;
    return { type: 'RoleGranted', data };
  });
  const step = { decider: roleDecider, stream: roleStream, metadata };
  await new Pipeline(portal.store, new UuidIds()).run(step, () => ok(admins));
  grace = await portal.signedIn('grace', { role: 'admin' });
});
afterAll(() => portal.stop());
beforeEach(() => portal.database.query('truncate records.proposals, records.portal_held_forms'));

describe('the form that grants a role', () => {
  it('grants a role that moves no money once an admin has proved presence', async () => {
    const fields = typed('developer', portal.merchantId);
    const { shown, answer } = await portal.carryOut(grace, 'grace', target, fields);
    for (const text of ['Zuri Ali', idOf('zuri'), 'Duka Tatu', reason, words.takesOne])
      expect(shown).toContain(text);
    expect(answer.location).toBe('/portal/roles?done=granted');
    expect((await roleEvents()).at(-1)).toMatchObject({
      type: 'RoleGranted',
      data: {
        person: idOf('zuri'),
        name: 'Zuri Ali',
        role: 'developer',
        merchantId: portal.merchantId,
        proposedBy: idOf('grace'),
      },
      metadata: { actor: { id: idOf('grace') }, reason },
    });
    expect(await proposals()).toEqual([]);
  });

  it('proposes a role that moves money, and grants nothing', async () => {
    const [before] = await written();
    const { shown, answer } = await portal.carryOut(grace, 'grace', target, typed('finance'));
    expect(shown).toContain(words.takesTwo);
    expect(answer.location).toBe('/portal/roles?done=role_proposed');
    const details = { person: idOf('zuri'), name: 'Zuri Ali', role: 'finance' };
    expect(await proposals()).toMatchObject([
      { kind: 'role', details, reason, proposed_by: idOf('grace') },
    ]);
    expect(await written()).toEqual([before, 1]);
    expect((await grace.get(target)).text).toContain('Zuri Ali');
  });

  it('writes nothing without the proof of presence, even if the held form is sent again', async () => {
    const before = await written();
    const { form_token, answer } = await portal.send(grace, target, typed('viewer'));
    expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('/confirm/')]);
    const held = answer.location.slice(answer.location.lastIndexOf('/') + 1);
    const again = await grace.post(target, { fields: { form_token, held } });
    expect(again.status).toBe(403);
    expect(await written()).toEqual(before);
  });

  it('is not shown to a person who is no admin, who cannot send it either', async () => {
    const before = await written();
    for (const one of [
      await portal.signedIn('faith', { role: 'finance' }),
      await portal.signedIn('vera', { role: 'viewer' }),
      await portal.signedIn('owner', 'owner'),
    ]) {
      expect((await one.get(`${target}/new`)).status).toBe(403);
      const { answer } = await portal.send(one, target, typed('viewer'));
      expect(answer.status).toBe(403);
    }
    expect(await written()).toEqual(before);
  });

  it.each<[string, string, () => string]>([
    ['other_person', 'zuri', () => words.wrongPerson],
    ['other_person', 'https://other.example#zuri', () => 'is not an ID of the configured issuer'],
    [
      'other_person',
      'https://other.example#zuri',
      () => `${portal.issuer.url}#&lt;subject&gt;, to`,
    ],
    ['person', 'https://before.example#zuri', () => 'is not an ID of the configured issuer'],
    ['other_person', '', () => english.missing],
    ['person', 'zuri', () => words.chooseOrType],
    ['name', 'Call 0712345678', () => english.typed.words_hold_phone],
    ['role', 'owner', () => words.wrongRole],
    ['merchant', 'no-such-merchant', () => words.refusals.unknown_merchant],
    ['reason', '', () => english.missing],
  ])('refuses %s %j before any proof', async (field, value, told) => {
    const before = await written();
    const role = field === 'merchant' ? 'developer' : 'viewer';
    const isChosen = value.includes('before.example');
    const fields = {
      ...typed(role),
      ...(isChosen && { role_other_person: '' }),
      [`role_${field}`]: value,
    };
    const { answer } = await portal.send(grace, target, fields);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(told());
    expect(await written()).toEqual(before);
  });

  it('writes nothing about an admin’s own role, or at a merchant that the log does not have', async () => {
    await portal.database.query(
      `insert into merchants (merchant_id, name, timezone, country)
       values ('in-no-log', 'Ghost', 'Africa/Nairobi', 'KE')`,
    );
    const before = await written();
    for (const [fields, told] of [
      [{ ...typed('viewer'), role_other_person: idOf('grace') }, words.refusals.own_role],
      [typed('developer', 'in-no-log'), words.refusals.unknown_merchant],
    ] as const) {
      const { answer } = await portal.carryOut(grace, 'grace', target, fields);
      expect([answer.status, answer.text.includes(told)]).toEqual([422, true]);
    }
    expect(await written()).toEqual(before);
  });
});

describe('with more people and merchants than the form lists', () => {
  beforeAll(async () => {
    const { database } = portal;
    await database.query(
      `insert into records.person_names (person, name, told_at)
       select $1 || n, 'Person ' || n, records.now_() - n * interval '1 hour'
       from generate_series(1, $2::int) n`,
      [idOf('many-'), maxChoices + 50],
    );
    await database.query(
      `insert into merchants (merchant_id, name, timezone, country)
       select 'many-' || n, 'A shop ' || n, 'Africa/Nairobi', 'KE' from generate_series(1, $1::int) n`,
      [maxChoices + 50],
    );
  });

  it('lists as many as fit and says in both languages that others can be typed', async () => {
    const texts = { en: words, sw: swahili.roles };
    for (const [language, { latestPeople, merchantIdHint }] of Object.entries(texts)) {
      const headers = { 'accept-language': language };
      const { text } = await grace.get(`${target}/new`, { headers });
      expect(text).toContain(latestPeople(maxChoices));
      expect(text).toContain(merchantIdHint(maxChoices));
      for (const name of ['role_person', 'role_merchant']) {
        const [, list = ''] =
          new RegExp(`<select[^>]*"${name}"[^>]*>([^]*?)</select>`).exec(text) ?? [];
        expect(list.match(/<option/g)).toHaveLength(1 + maxChoices);
      }
    }
  });

  it.each(['role_person', 'role_other_person'])(
    'finds the name of a person in %s whom the list does not have, and a typed merchant',
    async (field) => {
      const person = idOf(`many-${maxChoices + 49}`);
      const fields = {
        ...typed('finance'),
        role_other_person: '',
        role_name: '',
        [field]: person,
        role_other_merchant: portal.merchantId,
      };
      const { shown, answer } = await portal.carryOut(grace, 'grace', target, fields);
      for (const text of [`Person ${maxChoices + 49}`, 'Duka Tatu']) expect(shown).toContain(text);
      expect(answer.location).toBe('/portal/roles?done=role_proposed');
      const { merchantId } = portal;
      const details = { person, name: `Person ${maxChoices + 49}`, role: 'finance', merchantId };
      expect(await proposals()).toMatchObject([{ details }]);
    },
  );

  it.each([
    ['role_other_merchant', 'no-such-merchant', () => words.refusals.unknown_merchant],
    ['role_merchant', 'many-1', () => words.chooseOrType],
    ['role_name', '', () => english.missing],
  ])('shows %s %j with its error and writes nothing', async (field, value, told) => {
    const before = await written();
    const fields = { ...typed('finance'), role_other_merchant: portal.merchantId, [field]: value };
    const { answer } = await portal.send(grace, target, fields);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(told());
    const at = field === 'role_merchant' ? 'role_other_merchant' : field;
    expect(answer.text).toMatch(new RegExp(`id="${at}"[^>]*aria-invalid="true"`));
    expect(await written()).toEqual(before);
  });
});
