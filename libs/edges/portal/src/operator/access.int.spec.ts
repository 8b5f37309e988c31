import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pipeline } from '#domain/event-sourcing';
import { ok } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import {
  PeopleModule,
  roleDecider,
  type RoleEvent,
  roleStream,
  type RoleTerms,
} from '#domain/people';
import { UuidIds } from '#infra/runtime';
import { AccessRequests } from '#records/people';
import { foreignMarkup, hostile, rsaKeys } from '#testing';
import { DeveloperPortal } from '../../test/developer-portal.js';
import { type Browser } from '../../test/browser.js';
import { english as merchantEnglish } from '../merchant/developer/developer-texts.en.js';
import { AccessRequestsController } from './access.controller.js';
import { english } from './operator-texts.en.js';
import { PageContexts } from './page-contexts.js';
import { ProposalsController, WaitingChanges } from './proposals.controller.js';
import { ProposedMoney } from './proposed-money.js';
import { TakeUps } from './take-ups.js';
import { WaitingController, WaitingForTwo } from './waiting.controller.js';

const portal = new DeveloperPortal({
  controllers: [AccessRequestsController, ProposalsController, WaitingController],
  providers: [
    PageContexts,
    ProposedMoney,
    TakeUps,
    WaitingChanges,
    WaitingForTwo,
    // No review is proposed here, so that no account's fee is read.
    { provide: MerchantDirectory, useValue: {} },
  ],
  modules: [PeopleModule],
  hasOwnLog: true,
});
const { access: words } = english;
const idOf = (subject: string) => `${portal.issuer.url}#${subject}`;
const reason = 'new till';

interface Stored {
  readonly id: string;
  readonly digest: string;
  readonly details: string;
}

let owner: Browser;
let grace: Browser;
let joseph: Browser;

beforeAll(async () => {
  await portal.start();
  for (const admin of ['grace', 'joseph'])
    await note('RoleGranted', { person: idOf(admin), name: admin, role: 'admin' });
  owner = await portal.signedIn('owner', 'owner');
  grace = await portal.signedIn('grace', { role: 'admin' });
  joseph = await portal.signedIn('joseph', { role: 'admin' });
});
afterAll(() => portal.stop());
beforeEach(async () => {
  portal.roles.of.set('owner', [{ role: 'owner', merchantId: portal.merchantId }]);
  await portal.database.query(
    'truncate records.access_requests, records.proposals, records.portal_held_forms',
  );
});

async function note(type: RoleEvent['type'], terms: RoleTerms): Promise<void> {
  const metadata = { correlationId: 'spec', actor: { kind: 'operator', id: 'spec' } } as const;
  const step = { decider: roleDecider, stream: roleStream, metadata };
  const event = { type, data: { ...terms, proposedBy: 'spec' } } as RoleEvent;
  await new Pipeline(portal.store, new UuidIds()).run(step, () => ok([event]));
}

const roleEvents = () => portal.store.readStream<RoleEvent>(roleStream);
const proposals = () =>
  portal.database.query<{ readonly id: string; readonly details: unknown }>(
    'select * from records.proposals order by proposed_at',
  );
const statusOf = async ({ id }: Stored) =>
  (await new AccessRequests(portal.database).find(id))?.status;

async function onlyRequest(): Promise<Stored> {
  const rows = await portal.database.query<Stored>('select * from records.access_requests');
  expect(rows).toHaveLength(1);
  return rows[0] as Stored;
}

/** The owner asks for a live key. */
async function askedForKey(holder = 'till'): Promise<Stored & { readonly pem: string }> {
  const pem = rsaKeys().publicKeyPem;
  const fields = { public_key: pem, holder, ips: '203.0.113.7, 2001:db8::/48', reason };
  await portal.carryOut(owner, 'owner', portal.page('keys/new', 'live'), fields);
  return { ...(await onlyRequest()), pem };
}

/** The owner asks for a role for a colleague. */
async function askedForRole(role: string, subject: string): Promise<Stored> {
  const fields = { name: 'Zuri Ali', person: idOf(subject), role, reason };
  await portal.carryOut(owner, 'owner', portal.page('team/ask'), fields);
  return onlyRequest();
}

const bound = ({ id, digest }: Stored) => ({ request: id, seen: digest });

/** Sends a form with the token of the person's own session, and no proof of presence. */
async function send(one: Browser, target: string, fields: Readonly<Record<string, string>>) {
  const { text } = await one.get('/portal/sessions');
  const form_token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return { form_token, answer: await one.post(target, { fields: { form_token, ...fields } }) };
}

/** Sends a form and proves presence for it, without carrying it out. */
async function proved(
  one: Browser,
  subject: string,
  target: string,
  fields: Readonly<Record<string, string>>,
) {
  const { form_token, answer } = await send(one, target, fields);
  expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('/confirm/')]);
  const { text: shown } = await one.get(answer.location);
  const { location } = await one.get(`${answer.location}/prove`);
  await one.get(portal.issuer.approve(location, { subject }));
  const held = answer.location.slice(answer.location.lastIndexOf('/') + 1);
  return { shown, finish: () => one.post(target, { fields: { form_token, held } }) };
}

const takeUp = '/portal/access/take-up';
const decline = '/portal/access/decline';

describe('a request for a live key', () => {
  it('is shown in full; one admin takes it up and proposes it byte for byte, and another confirms it', async () => {
    const request = await askedForKey();
    const { fingerprint } = (
      JSON.parse(request.details) as { readonly publicKey: { readonly fingerprint: string } }
    ).publicKey;
    const { text } = await grace.get('/portal/waiting');
    for (const told of [words.title, words.kinds.credential, fingerprint, '2001:db8::/48', reason])
      expect(text).toContain(told);

    const { shown, finish } = await proved(grace, 'grace', takeUp, bound(request));
    for (const told of [fingerprint, '203.0.113.7, 2001:db8::/48', 'till', idOf('owner')])
      expect(shown).toContain(told);
    expect(shown).toContain(words.takesTwo);
    const before = (await portal.events()).length;
    expect((await finish()).location).toBe('/portal/waiting?done=request_proposed');
    const [proposal, ...others] = await proposals();
    expect(others).toEqual([]);
    expect(proposal).toMatchObject({
      kind: 'credential',
      reason,
      proposed_by: idOf('grace'),
      merchant_id: portal.merchantId,
      details: JSON.parse(request.details) as unknown,
    });
    expect((await portal.events()).length).toBe(before);
    expect(await statusOf(request)).toBe('taken');
    const keys = portal.page('keys', 'live');
    expect((await owner.get(keys)).text).toContain(merchantEnglish.access.states.taken);

    const confirm = '/portal/proposals/confirm';
    const own = await proved(grace, 'grace', confirm, { proposal: proposal?.id ?? '' });
    expect((await own.finish()).status).toBe(422);
    const second = await proved(joseph, 'joseph', confirm, { proposal: proposal?.id ?? '' });
    expect(second.shown).toContain(idOf('owner'));
    expect((await second.finish()).status).toBe(200);
    expect((await portal.events()).at(-1)).toMatchObject({
      type: 'CredentialIssued',
      data: {
        mode: 'live',
        holder: 'till',
        publicKeyPem: request.pem,
        ipRanges: ['203.0.113.7', '2001:db8::/48'],
        proposedBy: idOf('grace'),
        confirmedBy: idOf('joseph'),
      },
    });
    expect(await statusOf(request)).toBe('done');
    expect((await owner.get(keys)).text).toContain(merchantEnglish.access.states.done);
  });

  it('is open again if its proposal is declined, and then taken up by another', async () => {
    const request = await askedForKey();
    await (await proved(grace, 'grace', takeUp, bound(request))).finish();
    const [proposal] = await proposals();
    const target = '/portal/proposals/decline';
    await (await proved(joseph, 'joseph', target, { proposal: proposal?.id ?? '' })).finish();
    expect(await statusOf(request)).toBe('sent');
    await (await proved(joseph, 'joseph', takeUp, bound(request))).finish();
    expect((await proposals()).at(-1)).toMatchObject({ proposed_by: idOf('joseph') });
  });

  it('is taken up only once if two admins finish at the same time', async () => {
    const request = await askedForKey();
    const one = await proved(grace, 'grace', takeUp, bound(request));
    const other = await proved(joseph, 'joseph', takeUp, bound(request));
    const answers = await Promise.all([one.finish(), other.finish()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(await proposals()).toHaveLength(1);
  });

  it('is not taken up if it was withdrawn, or its content changed, since it was shown', async () => {
    const request = await askedForKey();
    const { finish } = await proved(grace, 'grace', takeUp, bound(request));
    await portal.send(owner, portal.page('access/withdraw'), { request: request.id });
    expect((await finish()).status).toBe(409);
    await portal.database.query('truncate records.access_requests');

    const next = await askedForKey();
    const again = await proved(grace, 'grace', takeUp, bound(next));
    await portal.database.query(
      `update records.access_requests set details = replace(details, '203.0.113.7', '203.0.113.8')`,
    );
    expect((await again.finish()).status).toBe(409);
    const another = { ...bound(next), seen: request.digest };
    expect((await send(grace, takeUp, another)).answer.status).toBe(409);
    expect(await proposals()).toEqual([]);
  });

  it('is not taken up once its requester is no longer an owner, but can be declined', async () => {
    const request = await askedForKey();
    portal.roles.of.set('owner', [{ role: 'finance', merchantId: portal.merchantId }]);
    const { answer } = await send(grace, takeUp, bound(request));
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining(words.refusals.asker_no_owner),
    ]);
    const declined = { ...bound(request), decline_reason: 'no owner' };
    await (await proved(grace, 'grace', decline, declined)).finish();
    expect(await statusOf(request)).toBe('declined');
  });

  it('is taken up and declined only by admins, not by an owner or another operator', async () => {
    const request = await askedForKey();
    const finance = await portal.signedIn('fatma', { role: 'finance' });
    const auditor = await portal.signedIn('ali', { role: 'auditor' });
    for (const one of [owner, finance, auditor])
      for (const target of [takeUp, decline])
        expect((await send(one, target, bound(request))).answer.status).toBe(403);
    for (const one of [finance, auditor])
      expect((await one.get('/portal/waiting')).text).not.toContain(words.title);
    expect(await statusOf(request)).toBe('sent');
  });
});

describe('a declined request', () => {
  it('shows its reason to the owner; an unfit reason is rejected before the proof', async () => {
    const request = await askedForKey();
    for (const unfit of ['', 'call 0712345678']) {
      const fields = { ...bound(request), decline_reason: unfit };
      expect((await send(grace, decline, fields)).answer.status).toBe(422);
    }
    const fields = { ...bound(request), decline_reason: 'Call us first' };
    const { shown, finish } = await proved(grace, 'grace', decline, fields);
    expect(shown).toContain('Call us first');
    expect((await finish()).location).toBe('/portal/waiting?done=request_declined');
    const { text } = await owner.get(portal.page('keys', 'live'));
    expect(text).toContain('Call us first');
    expect(await proposals()).toEqual([]);
    expect((await send(grace, takeUp, bound(request))).answer.status).toBe(409);
  });
});

describe('a request for a role', () => {
  it('becomes a proposal if the role moves money; otherwise the role is granted at once', async () => {
    const request = await askedForRole('owner', 'zuri');
    await (await proved(grace, 'grace', takeUp, bound(request))).finish();
    expect(await proposals()).toMatchObject([
      { kind: 'role', details: JSON.parse(request.details) as unknown, proposed_by: idOf('grace') },
    ]);
    await portal.database.query('truncate records.access_requests');

    const small = await askedForRole('developer', 'dede');
    const { shown, finish } = await proved(grace, 'grace', takeUp, bound(small));
    expect(shown).toContain(words.takesOne);
    expect((await finish()).location).toBe('/portal/waiting?done=request_done');
    expect((await roleEvents()).at(-1)).toMatchObject({
      type: 'RoleGranted',
      data: { ...(JSON.parse(small.details) as object), proposedBy: idOf('grace') },
      metadata: { actor: { id: idOf('grace') }, reason },
    });
    expect(await statusOf(small)).toBe('done');
  });

  it('is rejected if it is for the admin who takes it up, and stays open for another', async () => {
    const request = await askedForRole('owner', 'grace');
    const { answer } = await send(grace, takeUp, bound(request));
    expect([answer.status, answer.text.includes(english.roles.refusals.own_role)]).toEqual([
      422,
      true,
    ]);
    expect(await statusOf(request)).toBe('sent');
    const { finish } = await proved(joseph, 'joseph', takeUp, bound(request));
    expect((await finish()).status).toBe(303);
  });

  it('is never one of the platform, even if its row says so', async () => {
    const request = await askedForRole('owner', 'zuri');
    await portal.database.query(
      `update records.access_requests set details = replace(details, '"owner"', '"admin"')`,
    );
    expect((await send(grace, takeUp, bound(request))).answer.status).toBe(409);
  });
});

describe('a request to take a role away', () => {
  it('takes it away once one admin takes it up', async () => {
    const { merchantId } = portal;
    const terms = { person: idOf('juma'), name: 'Juma', role: 'finance', merchantId } as const;
    await note('RoleGranted', terms);
    const grantedAt = new Date().toISOString() as (typeof portal.held)[number]['grantedAt'];
    portal.held = [{ ...terms, grantedAt, isSuspended: false, proposedBy: 'spec' }];
    const fields = { person: idOf('juma'), role: 'finance', reason };
    await portal.carryOut(owner, 'owner', portal.page('team/ask-removal'), fields);
    const request = await onlyRequest();
    await (await proved(grace, 'grace', takeUp, bound(request))).finish();
    expect((await roleEvents()).at(-1)).toMatchObject({
      type: 'RoleRevoked',
      data: { ...terms, proposedBy: idOf('grace') },
    });
    expect(await statusOf(request)).toBe('done');
  });
});

it('a request is shown as text on the admins’ pages, regardless of what an owner typed', async () => {
  const typed = hostile.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
  const request = await askedForKey(typed);
  const { text } = await grace.get('/portal/waiting');
  expect(foreignMarkup(text)).toEqual([]);
  const { shown } = await proved(grace, 'grace', takeUp, bound(request));
  expect(foreignMarkup(shown)).toEqual([]);
});
