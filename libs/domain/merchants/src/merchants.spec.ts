import { type Appended, Pipeline } from '#domain/event-sourcing';
import { MemoryLog, stateOf } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type HolderBound, type MerchantEvent, merchantStream } from './merchant.events.js';
import { type Merchant, merchantDecider } from './merchant.js';
import { decideAllowHosts } from './allow-hosts/allow-hosts.command.js';
import { BindHolderSubject, type HolderBinding } from './bind-holder/bind-holder.command.js';
import { decideIssueCredential } from './issue-credential/issue-credential.command.js';
import { decideIssueV3Credential } from './issue-v3-credential/issue-v3-credential.decide.js';
import { decideOpenAccount } from './open-account/open-account.command.js';
import { decideRevokeCredential } from './revoke-credential/revoke-credential.command.js';
import { decideSetCheckoutStrict } from './set-checkout-strict/set-checkout-strict.command.js';
import { SetIpListSubject } from './set-ip-list/set-ip-list.command.js';
import {
  decideSetWebhookEndpoint,
  SetWebhookEndpoint,
  SetWebhookEndpointHandler,
  type WebhookChange,
} from './set-webhook-endpoint/set-webhook-endpoint.command.js';
import { SetFeeScheduleSubject } from './set-fee-schedule/set-fee-schedule.command.js';
import { type WebhookEndpointKey } from './ports.js';

const given = (...events: MerchantEvent[]): Merchant => stateOf(merchantDecider, events);

const registered: MerchantEvent = {
  type: 'MerchantRegistered',
  data: { merchantId: 'm', name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
};
const credential = {
  credentialId: 'c1',
  kind: 'v4',
  mode: 'demo',
  holder: 'till',
  clientId: 'pp_1',
  publicKeyPem: 'pem',
  ipRanges: ['127.0.0.1'],
} as const;
const nobody = merchantDecider.initial;

const pipeline = new Pipeline(new MemoryLog(), { next: () => 'id' });
const allowFrom = () => Promise.resolve();
const one = { by: 'one' } as const;
const bind = (binding: HolderBinding, state: Merchant) =>
  new BindHolderSubject(pipeline).decide(
    { details: { merchantId: 'm', binding }, decided: one },
    state,
  );
const setIpList = (
  details: { readonly credentialId: string; readonly ipRanges: readonly string[] },
  state: Merchant,
) =>
  new SetIpListSubject(pipeline, { allowFrom } as never).decide(
    { details: { merchantId: 'm', ...details }, decided: one },
    state,
  );

describe('a merchant that is not registered', () => {
  it('gets no account, no credential and no fees', () => {
    const refused = { ok: false, refusal: 'unknown_merchant' };
    const account = { accountNo: '1', mode: 'demo', currency: 'KES' } as const;
    expect(decideOpenAccount(account, nobody)).toEqual(refused);
    expect(decideIssueCredential(credential, nobody)).toEqual(refused);
    expect(decideAllowHosts([], nobody)).toEqual(refused);
    expect(decideSetCheckoutStrict(true, nobody)).toEqual(refused);
    const fee = { merchantId: 'm', mode: 'demo', feeSchedule: { basisPoints: 1, flatMinor: 0n } };
    const subject = new SetFeeScheduleSubject(pipeline);
    expect(subject.decide({ details: fee as never, decided: one }, nobody)).toEqual(refused);
  });
});

describe('a credential', () => {
  const issued: MerchantEvent = { type: 'CredentialIssued', data: credential };

  it('is revoked once, however often it is asked for', () => {
    const state = given(registered, issued);
    const revoked = decideRevokeCredential({ credentialId: 'c1' }, state);
    expect(revoked).toEqual({
      ok: true,
      value: [{ type: 'CredentialRevoked', data: { credentialId: 'c1' } }],
    });
    const again = given(registered, issued, {
      type: 'CredentialRevoked',
      data: { credentialId: 'c1' },
    });
    expect(decideRevokeCredential({ credentialId: 'c1' }, again)).toEqual({ ok: true, value: [] });
  });

  it('is revoked as compromised, also if it was revoked before, and once', () => {
    const how = { credentialId: 'c1', isCompromised: true } as const;
    const plain: MerchantEvent = { type: 'CredentialRevoked', data: { credentialId: 'c1' } };
    const compromised: MerchantEvent = {
      type: 'CredentialRevoked',
      data: { credentialId: 'c1', compromised: true },
    };
    const done = { ok: true, value: [compromised] };
    expect(decideRevokeCredential(how, given(registered, issued))).toEqual(done);
    expect(decideRevokeCredential(how, given(registered, issued, plain))).toEqual(done);
    const after = given(registered, issued, plain, compromised);
    for (const again of [how, { credentialId: 'c1' }])
      expect(decideRevokeCredential(again, after)).toEqual({ ok: true, value: [] });
  });

  it('cannot be revoked if the merchant does not have it', () => {
    expect(decideRevokeCredential({ credentialId: 'c2' }, given(registered, issued))).toEqual({
      ok: false,
      refusal: 'unknown_credential',
    });
  });
});

describe('the holder of a credential', () => {
  const issued = (holder: string): MerchantEvent => ({
    type: 'CredentialIssued',
    data: { ...credential, credentialId: holder, holder },
  });
  const bound = (data: HolderBound['data']): MerchantEvent => ({ type: 'HolderBound', data });
  const till = { holder: 'till', person: 'https://id.example#asha' };

  it('is bound to a person or a system, and later to another', () => {
    const state = given(registered, issued('till'));
    expect(bind(till, state)).toEqual({ ok: true, value: [bound(till)] });
    const system = { holder: 'till', system: 'point of sale' };
    const after = given(registered, issued('till'), bound(till));
    expect(bind(system, after)).toEqual({ ok: true, value: [bound(system)] });
    expect(bind(till, given(registered, issued('till'), bound(till), bound(system)))).toEqual({
      ok: true,
      value: [bound(till)],
    });
  });

  it('is not bound again if it is already bound so', () => {
    const state = given(registered, issued('till'), bound(till));
    expect(bind({ ...till }, state)).toEqual({ ok: true, value: [] });
  });

  it('cannot be bound to a person who already has another holder', () => {
    const state = given(registered, issued('till'), issued('office'), bound(till));
    expect(bind({ ...till, holder: 'office' }, state)).toEqual({
      ok: false,
      refusal: 'person_has_holder',
    });
  });

  it('cannot be bound without a credential', () => {
    expect(bind(till, given(registered, issued('office')))).toEqual({
      ok: false,
      refusal: 'unknown_holder',
    });
    expect(bind(till, nobody)).toEqual({ ok: false, refusal: 'unknown_merchant' });
  });
});

describe('the list of addresses of a credential', () => {
  const issued: MerchantEvent = { type: 'CredentialIssued', data: credential };
  const change = { credentialId: 'c1', ipRanges: ['203.0.113.7'] };

  it('is set as a whole', () => {
    expect(setIpList(change, given(registered, issued))).toEqual({
      ok: true,
      value: [{ type: 'IpListChanged', data: change }],
    });
  });

  it('cannot be set for a credential that is unknown, revoked or not V4’s', () => {
    const unknown = { ok: false, refusal: 'unknown_credential' };
    const revoked: MerchantEvent = { type: 'CredentialRevoked', data: { credentialId: 'c1' } };
    const key = {
      credentialId: 'c1',
      kind: 'checkout',
      mode: 'demo',
      holder: 'h',
      keyId: 'k',
    } as const;
    expect(setIpList(change, nobody)).toEqual({ ok: false, refusal: 'unknown_merchant' });
    expect(setIpList(change, given(registered))).toEqual(unknown);
    expect(setIpList(change, given(registered, issued, revoked))).toEqual(unknown);
    expect(setIpList(change, given(registered, { type: 'CredentialIssued', data: key }))).toEqual(
      unknown,
    );
  });
});

describe('a V3 credential', () => {
  const v3 = {
    credentialId: 'c3',
    kind: 'v3',
    holder: 'old shop',
    consumerKey: 'key-of-years-ago',
    publicKeyPem: 'pem',
  } as const;
  const issued: MerchantEvent = { type: 'CredentialIssued', data: v3 };
  const named: MerchantEvent = { type: 'VidAssigned', data: { vid: 'duka' } };
  const fresh = { wanted: undefined, fresh: 'drawn' };

  it('names the merchant with its first, in the same append, and never again', () => {
    expect(decideIssueV3Credential(v3, fresh, given(registered))).toEqual({
      ok: true,
      value: [{ type: 'VidAssigned', data: { vid: 'drawn' } }, issued],
    });
    expect(decideIssueV3Credential(v3, fresh, given(registered, named))).toEqual({
      ok: true,
      value: [issued],
    });
  });

  it('keeps the vid that links bear: another one is refused, the same is not', () => {
    const state = given(registered, named);
    const wanting = (wanted: string) => decideIssueV3Credential(v3, { ...fresh, wanted }, state);
    expect(wanting('other')).toEqual({ ok: false, refusal: 'vid_fixed' });
    expect(wanting('duka').ok).toBe(true);
  });

  it('has a consumer key of its own, also after it was revoked', () => {
    const revoked: MerchantEvent = { type: 'CredentialRevoked', data: { credentialId: 'c3' } };
    const state = given(registered, named, issued, revoked);
    const again = { ...v3, credentialId: 'c4' };
    expect(decideIssueV3Credential(again, fresh, state)).toEqual({
      ok: false,
      refusal: 'consumer_key_taken',
    });
  });
});

describe('the hosts of a merchant', () => {
  it('are stored as a set in one order, the whole list each time', () => {
    expect(decideAllowHosts(['b.example', 'a.example', 'b.example'], given(registered))).toEqual({
      ok: true,
      value: [{ type: 'HostsAllowed', data: { hosts: ['a.example', 'b.example'] } }],
    });
  });
});

describe('a history that does not begin with a registration', () => {
  it('is a defect', () => {
    expect(() => given({ type: 'CredentialRevoked', data: { credentialId: 'c' } })).toThrow(
      TypeError,
    );
  });
});

describe('a webhook endpoint', () => {
  const endpoint = { merchantId: 'm', mode: 'demo', kind: 'v4' } as const;
  const url = 'https://duka.example/hooks';
  const stands = { mode: 'demo', kind: 'v4', url, enabled: true, secretId: 's1' } as const;
  const standing = given(registered, { type: 'WebhookEndpointSet', data: stands });
  const becomes = (state: Merchant, change: WebhookChange) => {
    const decided = decideSetWebhookEndpoint({ endpoint, change, secretId: 's2' }, state);
    return decided.ok ? decided.value.map(({ data }) => data) : decided.refusal;
  };
  const to = (there: string) => ({ to: 'set', url: there, standardHeaders: false }) as const;

  it('a new one gets a secret; one that moves keeps it, and is enabled', () => {
    expect(becomes(given(registered), to(url))).toEqual([{ ...stands, secretId: 's2' }]);
    const disabled = { ...stands, enabled: false };
    const off = given(registered, { type: 'WebhookEndpointSet', data: disabled });
    const elsewhere = 'https://duka.example/2';
    expect(becomes(off, to(elsewhere))).toEqual([{ ...stands, url: elsewhere }]);
  });

  it('a rotation names a new secret and changes nothing else', () => {
    expect(becomes(standing, { to: 'rotate' })).toEqual([{ ...stands, secretId: 's2' }]);
  });

  describe('and its secret', () => {
    const metadata = { correlationId: 'c', actor: { kind: 'operator', id: 'asha' } } as const;
    async function scene() {
      const log = new MemoryLog();
      const ids = { next: (): string => randomUUID() };
      const step = { decider: merchantDecider, stream: merchantStream('m'), metadata };
      await new Pipeline(log, ids).begin(step, [registered]);
      const made: string[] = [];
      const settled = new Map<string, bigint>();
      const settle = (
        _of: WebhookEndpointKey,
        secretId: string,
        revision: bigint,
      ): Promise<string | undefined> => {
        if (settled.has(secretId)) return Promise.resolve(undefined);
        settled.set(secretId, revision);
        return Promise.resolve(`secret of ${secretId}`);
      };
      const secrets = {
        make: (_of: WebhookEndpointKey, secretId: string) => {
          made.push(secretId);
          return Promise.resolve();
        },
        settle,
        settleFirst: (...of: Parameters<typeof settle>) =>
          settled.size > 0 ? Promise.resolve(undefined) : settle(...of),
      };
      const change = (changed: WebhookChange) =>
        new SetWebhookEndpointHandler(new Pipeline(log, ids), secrets).execute(
          new SetWebhookEndpoint(endpoint, changed, metadata),
        );
      return { log, made, settled, secrets, change };
    }

    it('is settled only once its event is stored', async () => {
      const { log, made, settled, change } = await scene();
      expect(await change(to(url))).toEqual({ ok: true, value: `secret of ${made[0]}` });
      const append = log.append.bind(log);
      log.append = (): Promise<Appended> => Promise.reject(new Error('the store is away'));
      await expect(change({ to: 'rotate' })).rejects.toThrow('away');
      expect([...settled]).toEqual([[made[0], 1n]]);
      log.append = append;
      expect(await change({ to: 'rotate' })).toEqual({ ok: true, value: `secret of ${made[2]}` });
      expect([...settled].at(-1)).toEqual([made[2], 2n]);
    });

    it('is shown when the endpoint is set again if the first command broke off before showing it', async () => {
      const { made, secrets, change } = await scene();
      const { settle } = secrets;
      secrets.settle = () => Promise.reject(new Error('killed'));
      await expect(change(to(url))).rejects.toThrow('killed');
      secrets.settle = settle;
      // A change that shows no secret settles none.
      await change({ to: 'disable' });
      await change({ to: 'enable' });
      expect(await change(to(url))).toEqual({ ok: true, value: `secret of ${made[0]}` });
      expect(await change(to(url))).toEqual({ ok: true, value: undefined });
      expect(made).toHaveLength(1);
    });

    it('is shown to only one of two callers who set the endpoint at once', async () => {
      const { log, made, settled, change } = await scene();
      const both = await Promise.all([change(to(url)), change(to(`${url}/2`))]);
      const named = new Set(
        log.events.slice(1).map(({ data }) => (data as { secretId: string }).secretId),
      );
      expect(made).toHaveLength(2);
      expect([...named]).toEqual([...settled.keys()]);
      const shown = both.flatMap((of) => (of.ok && of.value !== undefined ? [of.value] : []));
      expect(shown).toEqual([...named].map((id) => `secret of ${id}`));
    });
  });

  it('a notice that it is gone disables it only if its URL is still the same', () => {
    expect(becomes(standing, { to: 'disable', url })).toEqual([{ ...stands, enabled: false }]);
    expect(becomes(standing, { to: 'disable', url: 'https://old.example' })).toBe(
      'endpoint_changed',
    );
    expect(becomes(standing, { to: 'enable' })).toEqual([]);
  });

  it('modes and kinds are separate, and one that was never set is not enabled or rotated', () => {
    for (const other of [{ mode: 'live' }, { kind: 'v3' }] as const) {
      const asked = { endpoint: { ...endpoint, ...other }, secretId: 's2' };
      for (const change of ['enable', 'disable', 'rotate'] as const)
        expect(decideSetWebhookEndpoint({ ...asked, change: { to: change } }, standing)).toEqual({
          ok: false,
          refusal: 'no_endpoint',
        });
    }
    const v3 = { endpoint: { ...endpoint, kind: 'v3' as const }, change: to(url), secretId: 's2' };
    expect(decideSetWebhookEndpoint(v3, standing)).toMatchObject({
      ok: true,
      value: [{ data: { mode: 'demo', kind: 'v3', url, enabled: true } }],
    });
  });
});
