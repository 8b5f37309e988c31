import { randomUUID } from 'node:crypto';
import { Pipeline } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { feeFor } from '#domain/ledger';
import { type Decided } from '#domain/proposals';
import { MemoryLog, stateOf } from '#testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BindHolderSubject, type HolderBinding } from './bind-holder/bind-holder.command.js';
import {
  decideIssueCredential,
  decideIssueV4Credential,
  IssueCredentialSubject,
} from './issue-credential/issue-credential.command.js';
import {
  IssueCheckoutKey,
  IssueCheckoutKeyHandler,
} from './issue-checkout-key/issue-checkout-key.command.js';
import {
  IssueV3Credential,
  IssueV3CredentialHandler,
} from './issue-v3-credential/issue-v3-credential.command.js';
import { decideIssueV3Credential } from './issue-v3-credential/issue-v3-credential.decide.js';
import { type MerchantEvent, merchantStream } from './merchant.events.js';
import { type Merchant, merchantDecider } from './merchant.js';
import { type MerchantSubject } from './merchant-subject.js';
import { SetExpirySubject } from './set-expiry/set-expiry.command.js';
import { SetDestinationsSubject } from './set-payout-terms/set-destinations.command.js';
import { SetFeeScheduleSubject, isHigherFee } from './set-fee-schedule/set-fee-schedule.command.js';
import { areWithin } from './set-ip-list/ip-ranges.js';
import { SetIpListSubject } from './set-ip-list/set-ip-list.command.js';
import { SetLimitsSubject } from './set-payout-terms/set-limits.command.js';

const pipeline = new Pipeline(new MemoryLog(), { next: () => 'id' });
const registered: MerchantEvent = {
  type: 'MerchantRegistered',
  data: { merchantId: 'm', name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
};
const credential = {
  credentialId: 'c1',
  kind: 'v4',
  mode: 'live',
  holder: 'till',
  clientId: 'pp_1',
  publicKeyPem: 'pem',
  ipRanges: ['203.0.113.0/24'],
} as const;
const v3Credential = {
  credentialId: 'c3',
  kind: 'v3',
  holder: 'till',
  consumerKey: 'ck_1',
  publicKeyPem: 'pem',
} as const;
const issued: MerchantEvent = { type: 'CredentialIssued', data: credential };
const given = (...events: MerchantEvent[]): Merchant =>
  stateOf(merchantDecider, [registered, ...events]);
const merchantId = 'm';
const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];

/** The outcome for one admin, for two admins who saw the current state, and for two who saw an old one. */
function outcomes<Details extends { readonly merchantId: string }, Refusal extends string>(
  subject: MerchantSubject<Details, Refusal>,
  details: Details,
  [now, seenOn = now]: readonly [Merchant, Merchant?],
) {
  const kept = subject.read(JSON.parse(JSON.stringify(subject.write(details))) as never);
  if (now.kind === 'none' || seenOn.kind === 'none') throw new TypeError('a merchant is given');
  const weighed = subject.weighOn(kept, seenOn);
  if (!weighed.ok) throw new TypeError(weighed.refusal);
  const { seen, needsTwo } = weighed.value;
  const two: Decided = {
    by: 'two',
    proposalId: 'p1',
    seen,
    proposedBy: asha,
    confirmedBy: joseph,
  };
  const said = (decided: Decided) => {
    const done = subject.decide({ details: kept, decided }, now);
    return done.ok ? done.value.map(({ data }) => data) : done.refusal;
  };
  return { needsTwo, one: said({ by: 'one' }), two: said(two) };
}

const admins = { proposedBy: asha, confirmedBy: joseph };

describe('live terms', () => {
  const subject = new SetLimitsSubject(pipeline);
  const limits = (bounds: object, mode: 'live' | 'demo' = 'live'): MerchantEvent => ({
    type: 'LimitsSet',
    data: { mode, ...bounds },
  });
  const wanted = (bounds: object, mode: 'live' | 'demo' = 'live') => ({ merchantId, mode, bounds });

  it.each([
    ['a first bound', {}, { maxMinor: 5n }, false],
    ['a lower bound', { maxMinor: 5n }, { maxMinor: 4n }, false],
    ['a higher bound', { maxMinor: 5n }, { maxMinor: 6n }, true],
    ['a bound that is dropped', { maxMinor: 5n, maxPerDayMinor: 9n }, { maxMinor: 5n }, true],
    ['a first automatic amount', { maxMinor: 5n }, { maxMinor: 5n, automaticMaxMinor: 1n }, true],
    ['an automatic amount that goes', { automaticMaxMinor: 5n }, {}, false],
    ['a higher automatic amount', { automaticMaxMinor: 5n }, { automaticMaxMinor: 6n }, true],
    [
      'an automatic day that is dropped, so that nothing passes alone',
      { automaticMaxMinor: 5n, automaticPerDayMinor: 9n },
      { automaticMaxMinor: 5n },
      false,
    ],
    [
      'a first automatic day',
      { automaticMaxMinor: 5n },
      { automaticMaxMinor: 5n, automaticPerDayMinor: 9n },
      true,
    ],
    [
      'one that is lower beside one that is higher',
      { maxMinor: 5n, maxPerDayMinor: 9n },
      { maxMinor: 4n, maxPerDayMinor: 10n },
      true,
    ],
  ])('%s', (_, before, after, needsTwo) => {
    const now = given(limits(before));
    expect(outcomes(subject, wanted(after), [now])).toEqual({
      needsTwo,
      one: needsTwo ? 'second_admin_needed' : [{ mode: 'live', ...after }],
      two: [{ mode: 'live', ...after, ...admins }],
    });
    const demo = given(limits(before, 'demo'));
    expect(outcomes(subject, wanted(after, 'demo'), [demo])).toMatchObject({ needsTwo: false });
  });

  it('are not raised if they changed since they were seen', () => {
    const [seen, now] = [given(limits({ maxMinor: 5n })), given(limits({ maxMinor: 2n }))];
    expect(outcomes(subject, wanted({ maxMinor: 6n }), [now, seen]).two).toBe('changed');
  });

  it('are carried out once by a proposal', () => {
    const metadata = {
      v: 1,
      correlationId: 'r',
      actor: { kind: 'operator', id: joseph },
      causationId: 'p1',
    } as const;
    const raised = { ...limits({ maxMinor: 9n }).data, ...admins } as never;
    const state = stateOf(merchantDecider, [registered, { type: 'LimitsSet', data: raised }], {
      metadata,
    });
    expect(outcomes(subject, wanted({ maxMinor: 9n }), [state, given()]).two).toEqual([]);
  });

  it('say what changes', () => {
    expect(
      subject.describe(wanted({ maxMinor: 6n }), '{"maxMinor":"5","maxPerDayMinor":"9"}'),
    ).toEqual([
      { field: 'mode', value: 'live' },
      { field: 'payout_max', value: '6', before: '5' },
      { field: 'payout_day_max', value: '', before: '9' },
      { field: 'automatic_max', value: '', before: '' },
      { field: 'automatic_day_max', value: '', before: '' },
    ]);
  });
});

describe('the numbers that may be paid', () => {
  const subject = new SetDestinationsSubject(pipeline);
  const number = (phoneHmac: string) => ({ phoneHmac, phoneMasked: `2547*****${phoneHmac}` });
  const list = (...numbers: string[]): MerchantEvent => ({
    type: 'DestinationsSet',
    data: { mode: 'live', destinations: numbers.map(number) },
  });
  const wanted = (...numbers: string[]) => ({
    merchantId,
    mode: 'live' as const,
    destinations: numbers.map(number),
  });

  it('are reduced by one admin, and changed otherwise by two', () => {
    expect(outcomes(subject, wanted('1'), [given()]).needsTwo).toBe(false);
    expect(outcomes(subject, wanted('1'), [given(list('1', '2'))]).needsTwo).toBe(false);
    expect(outcomes(subject, wanted('1', '3'), [given(list('1', '2'))]).one).toBe(
      'second_admin_needed',
    );
    const any = { merchantId, mode: 'live' } as const;
    expect(outcomes(subject, any, [given(list('1'))])).toMatchObject({
      needsTwo: true,
      two: [{ mode: 'live', ...admins }],
    });
  });

  it('are shown with those that are added and removed, even if all look alike', () => {
    const alike = (phoneHmac: string) => ({ phoneHmac, phoneMasked: '2547*****678' });
    const details = { merchantId, mode: 'live', destinations: [alike('1'), alike('2')] } as const;
    const rows = (...before: string[]) =>
      subject.describe(details, JSON.stringify(before.map(alike))).slice(2);
    expect(rows('1')).toEqual([{ field: 'destinations_added', value: '2547*****678' }]);
    expect(rows('1', '2', '3')).toEqual([{ field: 'destinations_removed', value: '2547*****678' }]);
    expect(rows('2', '1')).toEqual([]);
  });
});

describe('a fee', () => {
  const subject = new SetFeeScheduleSubject(pipeline);
  const schedule = fc.record({
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    flatMinor: fc.bigInt({ min: 0n, max: 5000n }),
  });

  it('is higher if any amount costs more', () => {
    fc.assert(
      fc.property(
        schedule,
        schedule,
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        (fee, before, amount) => {
          if (feeFor(fee, amount) > feeFor(before, amount))
            expect(isHigherFee(fee, before)).toBe(true);
        },
      ),
    );
    // Cheaper for a small payment and dearer for a large one; and the other way round.
    expect(
      isHigherFee({ basisPoints: 1, flatMinor: 0n }, { basisPoints: 0, flatMinor: 500n }),
    ).toBe(true);
    expect(isHigherFee({ basisPoints: 0, flatMinor: 1n }, { basisPoints: 90, flatMinor: 0n })).toBe(
      true,
    );
    expect(
      isHigherFee({ basisPoints: 90, flatMinor: 0n }, { basisPoints: 90, flatMinor: 1n }),
    ).toBe(false);
  });

  it('is raised by two admins in live mode, the first one too', () => {
    const fee = (mode: 'live' | 'demo') => ({
      merchantId,
      mode,
      feeSchedule: { basisPoints: 9000, flatMinor: 0n },
    });
    expect(outcomes(subject, fee('live'), [given()])).toEqual({
      needsTwo: true,
      one: 'second_admin_needed',
      two: [{ mode: 'live', basisPoints: 9000, flatMinor: 0n, ...admins }],
    });
    expect(outcomes(subject, fee('demo'), [given()]).needsTwo).toBe(false);
  });
});

describe('a list of addresses', () => {
  const subject = new SetIpListSubject(pipeline, { allowFrom: () => Promise.resolve() } as never);

  it.each([
    [['203.0.113.7'], ['203.0.113.0/24'], true],
    [['203.0.113.0/25'], ['203.0.113.0/24'], true],
    [['203.0.112.0/23'], ['203.0.113.0/24'], false],
    [['203.0.113.7', '198.51.100.1'], ['203.0.113.0/24'], false],
    [['::/0'], ['203.0.113.0/24', '::1'], false],
    [['2001:db8:0:1::7'], ['2001:db8::/48'], true],
    [['2001:DB8::1'], ['2001:db8:0:0:0:0:0:1'], true],
    [['2001:db9::1'], ['2001:db8::/32'], false],
    [['0.0.0.7'], ['::/0'], false],
    // Within two ranges together: it needs two admins, though no address is new.
    [['10.0.0.0/24'], ['10.0.0.0/25', '10.0.0.128/25'], false],
    [['::ffff:1.2.3.4'], ['1.2.3.4'], false],
  ])('%j lies within %j: %s', (ranges, others, isWithin) => {
    expect(areWithin(ranges, others)).toBe(isWithin);
  });

  it('is in the records before its event if it is narrower, and only after it if it is wider', async () => {
    const log = new MemoryLog();
    const written: string[] = [];
    const allowFrom = async (_: string, ranges: readonly string[], revision: bigint) => {
      const events = await log.readStream('merchant-m');
      written.push(
        `${ranges.join()} as ${revision} after ${events.map(({ type }) => type).at(-1) ?? ''}`,
      );
    };
    const own = new Pipeline(log, { next: () => randomUUID() });
    const listed = new SetIpListSubject(own, { allowFrom } as never);
    const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: asha } } as const;
    const before = [registered, issued].map((event) => ({ id: randomUUID(), event, metadata }));
    await log.append('merchant-m', 'no_stream', before);
    const set = (ip: string, decided: Decided) =>
      listed.carryOut({ merchantId, credentialId: 'c1', ipRanges: [ip] }, decided, {
        ...metadata,
        reason: 'spec',
      });
    const two = (seen: string): Decided => ({
      by: 'two',
      proposalId: 'p1',
      seen,
      proposedBy: asha,
      confirmedBy: joseph,
    });

    expect(await set('203.0.113.7', { by: 'one' })).toMatchObject({ ok: true });
    expect(await set('198.51.100.1', { by: 'one' })).toMatchObject({ ok: false });
    expect(await set('198.51.100.1', two('another list'))).toMatchObject({ ok: false });
    const seen = JSON.stringify({ holder: 'till', ipRanges: ['203.0.113.7'] });
    expect(await set('198.51.100.1', two(seen))).toMatchObject({ ok: true });
    expect(written).toEqual([
      '203.0.113.7 as 1 after CredentialIssued',
      '203.0.113.7 as 2 after IpListChanged',
      '198.51.100.1 as 3 after IpListChanged',
    ]);
  });

  it('is widened by two admins, from the list that now applies', () => {
    const wanted = (...ipRanges: string[]) => ({ merchantId, credentialId: 'c1', ipRanges });
    const narrowed: MerchantEvent = {
      type: 'IpListChanged',
      data: { credentialId: 'c1', ipRanges: ['203.0.113.7'] },
    };
    const now = given(issued, narrowed);
    expect(outcomes(subject, wanted('203.0.113.7'), [now]).needsTwo).toBe(false);
    expect(outcomes(subject, wanted('203.0.113.8'), [now])).toMatchObject({
      one: 'second_admin_needed',
      two: [{ credentialId: 'c1', ipRanges: ['203.0.113.8'], ...admins }],
    });
    expect(outcomes(subject, wanted('203.0.113.8'), [now, given(issued)]).two).toBe('changed');
  });
});

describe('the end of a credential', () => {
  const subject = new SetExpirySubject(pipeline, { endAt: () => Promise.resolve() } as never);
  const sooner = '2027-03-01T00:00:00.000Z' as Instant;
  const later = '2027-06-01T00:00:00.000Z' as Instant;
  const wanted = (expiresAt: Instant | undefined, credentialId = 'c1') => ({
    merchantId,
    credentialId,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  const ended = (expiresAt: Instant | undefined, credentialId = 'c1'): MerchantEvent => ({
    type: 'CredentialExpirySet',
    data: { credentialId, ...(expiresAt === undefined ? {} : { expiresAt }) },
  });
  const demo: MerchantEvent = {
    type: 'CredentialIssued',
    data: { ...credential, mode: 'demo' },
  };
  const ofV3: MerchantEvent = {
    type: 'CredentialIssued',
    data: { ...v3Credential, credentialId: 'c1' },
  };
  const link: MerchantEvent = {
    type: 'CredentialIssued',
    data: { credentialId: 'c1', kind: 'checkout', mode: 'live', holder: 'till', keyId: 'ck_1' },
  };

  it.each([
    ['a first end', undefined, sooner, false],
    ['an earlier end', later, sooner, false],
    ['a later end', sooner, later, true],
    ['no end any more', sooner, undefined, true],
  ])(
    'needs two admins in live mode if the credential works for longer: %s',
    (_, before, end, two) => {
      const data = { credentialId: 'c1', ...(end === undefined ? {} : { expiresAt: end }) };
      for (const live of [issued, ofV3, link])
        expect(outcomes(subject, wanted(end), [given(live, ended(before))])).toEqual({
          needsTwo: two,
          one: two ? 'second_admin_needed' : [data],
          two: [{ ...data, ...admins }],
        });
      const inDemo = given(demo, ended(before));
      expect(outcomes(subject, wanted(end), [inDemo])).toMatchObject({
        needsTwo: false,
        one: [data],
      });
    },
  );

  it('counts from the event that issued the credential', () => {
    const until = { ...credential, expiresAt: sooner };
    const now = given({ type: 'CredentialIssued', data: until });
    expect(outcomes(subject, wanted(later), [now]).needsTwo).toBe(true);
    expect(outcomes(subject, wanted(sooner), [now])).toMatchObject({ needsTwo: false, one: [] });
  });

  it('is not moved if it changed since two admins saw it', () => {
    const [seen, now] = [given(issued, ended(later)), given(issued, ended(sooner))];
    expect(outcomes(subject, wanted(undefined), [now, seen]).two).toBe('changed');
  });

  it('is not set for a credential that is unknown or revoked', () => {
    const gone: MerchantEvent = { type: 'CredentialRevoked', data: { credentialId: 'c1' } };
    for (const state of [given(), given(issued, gone)])
      expect(subject.decide({ details: wanted(sooner), decided: { by: 'one' } }, state)).toEqual({
        ok: false,
        refusal: 'unknown_credential',
      });
  });

  it('says what changes', () => {
    const seen = JSON.stringify({ holder: 'till', expiresAt: sooner });
    expect(subject.describe(wanted(undefined), seen)).toEqual([
      { field: 'credential', value: 'c1' },
      { field: 'holder', value: 'till' },
      { field: 'expires', value: '', before: sooner },
    ]);
  });

  it('is in the records after its event, and never without it', async () => {
    const log = new MemoryLog();
    const written: string[] = [];
    const endAt = async (_: string, end: string | undefined, revision: bigint) => {
      const events = await log.readStream('merchant-m');
      written.push(`${end ?? 'none'} as ${revision} after ${events.at(-1)?.type ?? ''}`);
    };
    const own = new Pipeline(log, { next: () => randomUUID() });
    const ending = new SetExpirySubject(own, { endAt } as never);
    const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: asha } } as const;
    const before = [registered, issued].map((event) => ({ id: randomUUID(), event, metadata }));
    await log.append('merchant-m', 'no_stream', before);
    const set = (end: Instant | undefined, decided: Decided) =>
      ending.carryOut(wanted(end), decided, { ...metadata, reason: 'spec' });
    const two = { by: 'two', proposalId: 'p1', proposedBy: asha, confirmedBy: joseph } as const;

    expect(await set(sooner, { by: 'one' })).toMatchObject({ ok: true });
    expect(await set(later, { by: 'one' })).toMatchObject({ ok: false });
    const seen = JSON.stringify({ holder: 'till', expiresAt: sooner });
    expect(await set(undefined, { ...two, seen })).toMatchObject({ ok: true });
    expect(written).toEqual([
      `${sooner} as 2 after CredentialExpirySet`,
      'none as 3 after CredentialExpirySet',
    ]);
  });
});

describe('a holder', () => {
  const subject = new BindHolderSubject(pipeline);
  const details = (binding: HolderBinding) => ({ merchantId, binding });
  const bound = (person: string): MerchantEvent => ({
    type: 'HolderBound',
    data: { holder: 'till', person },
  });

  it('at a merchant with live credentials is bound, and bound again, by two admins', () => {
    const wanted = details({ holder: 'till', person: asha });
    expect(outcomes(subject, wanted, [given(issued)]).one).toBe('second_admin_needed');
    const now = given(issued, bound(joseph));
    expect(outcomes(subject, wanted, [now]).two).toEqual([
      { holder: 'till', person: asha, ...admins },
    ]);
    expect(outcomes(subject, wanted, [now, given(issued)]).two).toBe('changed');
    expect(outcomes(subject, wanted, [given(issued, bound(asha))]).one).toEqual([]);
  });

  it('is bound again to the same person by two admins if one bound it before anything was live', () => {
    const demo: MerchantEvent = { ...issued, data: { ...credential, mode: 'demo' } };
    const account: MerchantEvent = {
      type: 'AccountOpened',
      data: { accountNo: '1', mode: 'live', currency: 'KES' },
    };
    const wanted = details({ holder: 'till', person: asha });
    expect(outcomes(subject, wanted, [given(demo, bound(asha))]).one).toEqual([]);
    const now = given(demo, bound(asha), account);
    expect(outcomes(subject, wanted, [now])).toMatchObject({
      one: 'second_admin_needed',
      two: [{ holder: 'till', person: asha, ...admins }],
    });
  });

  it.each(['Till', 'TILL', 'ｔｉｌｌ', 'ti ll', 'ti\u200bll'])(
    'differs from no other only by case, spaces or Unicode form: %s',
    (holder) => {
      const refused = { ok: false, refusal: 'similar_holder' };
      const other = { ...credential, credentialId: 'c2', holder };
      expect(decideIssueCredential(other, given(issued))).toEqual(refused);
      expect(decideIssueCredential({ ...other, holder: 'till' }, given(issued))).toMatchObject({
        ok: true,
      });
      const v3 = { ...v3Credential, holder };
      const fresh = { wanted: undefined, fresh: 'duka' };
      expect(decideIssueV3Credential(v3, fresh, given(issued))).toEqual(refused);
      const own = { ...v3, holder: 'till' };
      expect(decideIssueV3Credential(own, fresh, given(issued))).toMatchObject({ ok: true });
    },
  );

  it('is also refused as similar for a V3 credential or a checkout key, before anything is reserved', async () => {
    const log = new MemoryLog();
    let made = 0;
    const ofMerchant = new Pipeline(log, { next: () => `id-${(made += 1)}` });
    const metadata = { correlationId: 'r', actor: { kind: 'operator', id: asha } } as const;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    await ofMerchant.begin(step, [registered, issued]);
    // A call of any of them would fail.
    const none = undefined as never;
    const publicKey = { pem: 'pem', fingerprint: 'f' };
    const v3 = new IssueV3CredentialHandler(ofMerchant, none, none, none).execute(
      new IssueV3Credential({ merchantId, holder: 'TILL', publicKey }, metadata),
    );
    const checkout = new IssueCheckoutKeyHandler(ofMerchant, none, none).execute(
      new IssueCheckoutKey({ merchantId, mode: 'live', holder: 'TILL' }, metadata),
    );
    const refused = { ok: false, refusal: 'similar_holder' };
    expect(await Promise.all([v3, checkout])).toEqual([refused, refused]);
    expect(log.events).toHaveLength(2);
  });
});

describe('a live V4 credential', () => {
  const details = {
    merchantId,
    mode: 'live',
    holder: 'till',
    publicKey: { pem: 'pem', fingerprint: 'f' },
    ipRanges: ['203.0.113.7'],
  } as const;
  const named = { credentialId: 'c2', clientId: 'pp_2' };
  const decide = (decided: Decided, state: Merchant, mode: 'live' | 'demo' = 'live') =>
    decideIssueV4Credential({ details: { ...details, mode }, named, decided }, state);

  it('has the end that its admins saw in its event', () => {
    const expiresAt = '2027-03-01T00:00:00.000Z' as Instant;
    const until = { ...details, mode: 'demo', expiresAt } as const;
    const value = decideIssueV4Credential(
      { details: until, named, decided: { by: 'one' } },
      given(issued),
    );
    expect(value).toMatchObject({ ok: true, value: [{ data: { expiresAt } }] });
    const subject = new IssueCredentialSubject(pipeline, undefined as never, undefined as never);
    const kept = subject.read(JSON.parse(JSON.stringify(subject.write(until))) as never);
    expect(subject.describe(kept, '{"credentials":[]}')).toContainEqual({
      field: 'expires',
      value: expiresAt,
    });
  });

  it('needs two admins, whom its event names, and what they saw of its holder', () => {
    expect(decide({ by: 'one' }, given(issued))).toEqual({
      ok: false,
      refusal: 'second_admin_needed',
    });
    expect(decide({ by: 'one' }, given(issued), 'demo')).toMatchObject({ ok: true });
    const two = { by: 'two', proposalId: 'p1', ...admins } as const;
    const seen = JSON.stringify({ credentials: ['c1'] });
    expect(decide({ ...two, seen }, given(issued))).toMatchObject({
      ok: true,
      value: [{ type: 'CredentialIssued', data: { credentialId: 'c2', ...admins } }],
    });
    const rebound: MerchantEvent = { type: 'HolderBound', data: { holder: 'till', person: asha } };
    expect(decide({ ...two, seen }, given(issued, rebound))).toEqual({
      ok: false,
      refusal: 'changed',
    });
  });
});
