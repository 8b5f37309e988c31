import { fold } from '#event-sourcing';
import { describe, expect, it } from '@jest/globals';
import { type MerchantEvent } from './merchant.events.js';
import { type Merchant, merchantDecider } from './merchant.js';
import { decideIssueCredential } from './issue-credential/issue-credential.decide.js';
import { decideOpenAccount } from './open-account/open-account.handler.js';
import { decideRevokeCredential } from './revoke-credential/revoke-credential.handler.js';
import { decideSetFeeSchedule } from './set-fee-schedule/set-fee-schedule.handler.js';

const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: 'amina' } } as const;
const given = (...events: MerchantEvent[]): Merchant =>
  fold(
    merchantDecider,
    events.map((event) => ({ ...event, metadata })),
  );

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

describe('a merchant that is not registered', () => {
  it('gets no account, no credential and no fees', () => {
    const refused = { ok: false, refusal: 'unknown_merchant' };
    const account = { accountNo: '1', mode: 'demo', currency: 'KES' } as const;
    expect(decideOpenAccount(account, nobody)).toEqual(refused);
    expect(decideIssueCredential(credential, nobody)).toEqual(refused);
    expect(decideSetFeeSchedule('demo', { basisPoints: 1, flatMinor: 0n }, nobody)).toEqual(
      refused,
    );
  });
});

describe('a credential', () => {
  const issued: MerchantEvent = { type: 'CredentialIssued', data: credential };

  it('is revoked once, however often it is asked for', () => {
    const state = given(registered, issued);
    const revoked = decideRevokeCredential('c1', state);
    expect(revoked).toEqual({
      ok: true,
      value: [{ type: 'CredentialRevoked', data: { credentialId: 'c1' } }],
    });
    const again = given(registered, issued, {
      type: 'CredentialRevoked',
      data: { credentialId: 'c1' },
    });
    expect(decideRevokeCredential('c1', again)).toEqual({ ok: true, value: [] });
  });

  it('that the merchant does not have cannot be revoked', () => {
    expect(decideRevokeCredential('c2', given(registered, issued))).toEqual({
      ok: false,
      refusal: 'unknown_credential',
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
