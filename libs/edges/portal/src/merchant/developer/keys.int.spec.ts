import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rsaKeys } from '#testing';
import { DeveloperPortal } from '../../../test/developer-portal.js';
import { english } from './developer-texts.en.js';

const portal = new DeveloperPortal();
const { keys: words } = english;
const { publicKeyPem } = rsaKeys();
const reason = 'new till';
const form = { public_key: publicKeyPem, holder: 'till', ips: '203.0.113.7', reason };
const target = (path: string, mode = 'demo') => portal.page(`keys/${path}`, mode);
const lastEvent = async () => (await portal.events()).at(-1);
const heldForms = () => portal.database.query('select 1 from records.portal_held_forms');
const secrets = () => portal.database.query('select 1 from records.client_secrets');

beforeAll(() => portal.start());
afterAll(() => portal.stop());
beforeEach(() => portal.database.query('truncate records.portal_held_forms'));

/** A credential in use, in log and views. */
async function issued(mode: 'demo' | 'live', ipRanges = ['203.0.113.0/24']): Promise<string> {
  const credentialId = randomUUID();
  const clientId = `client-${credentialId}`;
  const of = { credentialId, kind: 'v4', mode, holder: 'till', clientId } as const;
  const { publicKeyPem: pem } = rsaKeys();
  await portal.append({ type: 'CredentialIssued', data: { ...of, publicKeyPem: pem, ipRanges } });
  await portal.database.query(
    `insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, public_key_pem, ip_ranges, revoked)
       values ($1, $2, 'v4', $3, 'till', $4, $5, $6, false)`,
    [credentialId, portal.merchantId, mode, clientId, pem, ipRanges],
  );
  return credentialId;
}

describe('a new API key', () => {
  it('takes effect at once if an owner creates it in demo mode, and its secret is shown once', async () => {
    const asha = await portal.signedIn('asha', 'owner');
    const { shown, answer } = await portal.carryOut(asha, 'asha', target('new'), {
      ...form,
      // A browser sends lines with CR LF.
      public_key: publicKeyPem.replaceAll('\n', '\r\n'),
    });
    for (const told of ['Duka Tatu', 'till', '203.0.113.7', reason]) expect(shown).toContain(told);
    const event = await lastEvent();
    expect(event).toMatchObject({
      type: 'CredentialIssued',
      data: { kind: 'v4', mode: 'demo', holder: 'till', publicKeyPem, ipRanges: ['203.0.113.7'] },
      metadata: { actor: { kind: 'operator', id: `${portal.issuer.url}#asha` }, reason },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(words.clientSecret);
    expect(await secrets()).toHaveLength(1);
  });

  it('may have an end, which the person sees before the proof and on its card', async () => {
    const asha = await portal.signedIn('asha', 'owner');
    const { shown, answer } = await portal.carryOut(asha, 'asha', target('new'), {
      ...form,
      public_key: rsaKeys().publicKeyPem,
      expires: '90d',
    });
    expect(answer.status).toBe(200);
    const event = await lastEvent();
    const { expiresAt } = event?.data as { readonly expiresAt: string };
    expect(expiresAt).toMatch(/T00:00:00\.000Z$/);
    expect(shown).toContain(expiresAt);

    const id = await issued('demo');
    await portal.database.query(
      `insert into records.credential_ends (credential_id, expires_at, revision)
         values ($1, records.now_() + interval '5 days', 1)`,
      [id],
    );
    for (const path of [portal.page('keys'), target(id)])
      expect((await asha.get(path)).text).toContain('5 days left');
  });

  it('is refused if another credential has its key, at its field', async () => {
    const asha = await portal.signedIn('asha', 'owner');
    const before = (await portal.events()).length;
    const { answer } = await portal.carryOut(asha, 'asha', target('new'), form);
    expect([answer.status, answer.text.includes(words.refusals.key_taken)]).toEqual([422, true]);
    expect((await portal.events()).length).toBe(before);
  });

  it.each([
    ['public_key', 'no key', words.keyProblems.not_an_rsa_public_key],
    ['public_key', rsaKeys().privateKeyPem, words.keyProblems.not_an_rsa_public_key],
    ['public_key', rsaKeys(1024).publicKeyPem, words.keyProblems.rsa_key_too_small],
    ['holder', '', words.holderProblems.holder_form],
    ['holder', 'https://id.example#asha', words.holderProblems.holder_form],
    ['ips', 'everywhere', words.ipsProblems.not_ips],
    ['ips', '', words.ipsProblems.not_ips],
    ['expires', 'soon', words.endProblems.end_form],
    ['expires', '2020-01-01', words.endProblems.end_past],
    ['expires', '4000d', words.endProblems.end_too_far],
    ['reason', '', english.reasonProblems.words_length],
  ])(
    'with a bad %s (%#) is refused at that field before any proof, and nothing is written',
    async (field, typed, told) => {
      const before = [(await portal.events()).length, await secrets()];
      const asha = await portal.signedIn('asha', 'owner');
      const { answer } = await portal.send(asha, target('new'), { ...form, [field]: typed });
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(new RegExp(`id="new_${field}"[^>]*aria-invalid="true"`));
      expect(answer.text).toContain(told);
      expect([(await portal.events()).length, await secrets()]).toEqual(before);
      expect(await heldForms()).toEqual([]);
    },
  );

  it('can only be requested by an owner in live mode, with all that was typed; no key is made yet', async () => {
    await portal.database.query('truncate records.access_requests');
    const before = (await portal.events()).length;
    const asha = await portal.signedIn('asha', 'owner');
    const page = await asha.get(target('new', 'live'));
    expect(page.text).toContain(words.liveNeedsTwo);
    const live = target('new', 'live');
    const key = rsaKeys().publicKeyPem;
    const { shown, answer } = await portal.carryOut(asha, 'asha', live, {
      ...form,
      public_key: key,
    });
    for (const told of [english.access.kinds.credential, english.access.decided, '203.0.113.7'])
      expect(shown).toContain(told);
    expect(answer.location).toContain('done=request_sent');
    const [stored, ...others] = await portal.database.query<{ readonly details: string }>(
      'select * from records.access_requests',
    );
    expect(others).toEqual([]);
    expect(stored).toMatchObject({
      kind: 'credential',
      merchant_id: portal.merchantId,
      mode: 'live',
      reason,
      asked_by: `${portal.issuer.url}#asha`,
      outcome: null,
      taken_by: null,
    });
    expect(JSON.parse(stored?.details ?? '')).toMatchObject({
      merchantId: portal.merchantId,
      mode: 'live',
      holder: 'till',
      publicKey: { pem: key },
      ipRanges: ['203.0.113.7'],
    });
    expect((await portal.events()).length).toBe(before);
    expect(await portal.database.query('select 1 from records.proposals')).toEqual([]);
    const list = await asha.get(portal.page('keys', 'live'));
    expect(list.text).toContain(english.access.states.sent);
    expect((await asha.get(portal.page('keys'))).text).not.toContain(english.access.states.sent);
    const again = await portal.carryOut(asha, 'asha', live, { ...form, public_key: key });
    expect([again.answer.status, again.answer.text]).toEqual([
      422,
      expect.stringContaining(english.access.refusals.already_asked),
    ]);
  });

  it('cannot be issued by a developer', async () => {
    const dee = await portal.signedIn('dee', 'developer');
    const { answer } = await portal.send(dee, target('new'), form);
    expect([answer.status, (await dee.get(target('new'))).status]).toEqual([403, 403]);
  });
});

describe('the allowed IPs of a key', () => {
  it.each(['demo', 'live'] as const)(
    'are narrowed by an owner in %s mode, at once',
    async (mode) => {
      const id = await issued(mode);
      const asha = await portal.signedIn('asha', 'owner');
      const fields = { ips: '203.0.113.7, 203.0.113.8', reason };
      const { shown, answer } = await portal.carryOut(
        asha,
        'asha',
        target(`${id}/ips`, mode),
        fields,
      );
      expect(shown).toContain('203.0.113.0/24');
      expect(answer.location).toContain('done=ips_set');
      expect(await lastEvent()).toMatchObject({
        type: 'IpListChanged',
        data: { credentialId: id, ipRanges: ['203.0.113.7', '203.0.113.8'] },
      });
    },
  );

  it('are widened by an owner at once in demo mode; in live mode an owner can only request it', async () => {
    const asha = await portal.signedIn('asha', 'owner');
    const fields = { ips: '203.0.113.7, 198.51.100.1', reason };
    const demo = await issued('demo');
    await portal.carryOut(asha, 'asha', target(`${demo}/ips`), fields);
    expect((await lastEvent())?.type).toBe('IpListChanged');
    const live = await issued('live');
    const { shown, answer } = await portal.carryOut(
      asha,
      'asha',
      target(`${live}/ips`, 'live'),
      fields,
    );
    for (const told of ['203.0.113.0/24', '198.51.100.1', english.access.kinds.ip_list])
      expect(shown).toContain(told);
    expect(answer.location).toContain('done=request_sent');
    expect((await lastEvent())?.type).toBe('CredentialIssued');
    const [stored] = await portal.database.query<{ readonly details: string }>(
      'select details from records.access_requests where about = $1',
      [live],
    );
    expect(JSON.parse(stored?.details ?? '')).toEqual({
      merchantId: portal.merchantId,
      credentialId: live,
      ipRanges: ['203.0.113.7', '198.51.100.1'],
    });
  });

  it('never contain every address in live mode', async () => {
    const id = await issued('live', ['0.0.0.0/0']);
    const asha = await portal.signedIn('asha', 'owner');
    const fields = { ips: '0.0.0.0/1, 128.0.0.0/1', reason };
    const { answer } = await portal.send(asha, target(`${id}/ips`, 'live'), fields);
    expect([answer.status, answer.text.includes(words.everybody)]).toEqual([422, true]);
  });
});

describe('a key', () => {
  it.each([{}, { compromised: 'on' }])('is revoked by an owner at once: %j', async (how) => {
    const id = await issued('live');
    const asha = await portal.signedIn('asha', 'owner');
    const fields = { reason: 'laptop lost', ...how };
    const { shown, answer } = await portal.carryOut(
      asha,
      'asha',
      target(`${id}/revoke`, 'live'),
      fields,
    );
    expect(shown).toContain(`client-${id}`);
    expect(answer.location).toContain('done=key_revoked');
    const isCompromised = 'compromised' in how;
    expect(await lastEvent()).toMatchObject({
      type: 'CredentialRevoked',
      data: { credentialId: id, ...(isCompromised && { compromised: true }) },
      metadata: { actor: { id: `${portal.issuer.url}#asha` }, reason: 'laptop lost' },
    });
  });

  it('is not found in the other mode', async () => {
    const id = await issued('live');
    const asha = await portal.signedIn('asha', 'owner');
    for (const path of [`${id}/revoke`, `${id}/ips`]) {
      const { answer } = await portal.send(asha, target(path), { reason, ips: '203.0.113.7' });
      expect(answer.status).toBe(404);
    }
  });

  it('has a card with its way to the forms, for an owner and not for a developer', async () => {
    const id = await issued('demo');
    const asha = await portal.signedIn('asha', 'owner');
    const { text } = await asha.get(portal.page('keys'));
    expect(text).toContain(`client-${id}`);
    expect(text).toContain(`/keys/${id}"`);
    const dee = await portal.signedIn('dee', 'developer');
    expect((await dee.get(portal.page('keys'))).text).not.toContain(`/keys/${id}"`);
  });
});
