import { randomUUID } from 'node:crypto';
import { Pipeline, WrongExpectedRevision } from '#domain/event-sourcing';
import { type Decided } from '#domain/proposals';
import { type AtCall, MemoryLog, ReachedLog } from '#testing';
import { expect, it } from '@jest/globals';
import { type MerchantEvent, merchantStream } from '../merchant.events.js';
import { IssueCredentialSubject } from './issue-credential.command.js';

const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];
const metadata = {
  v: 1,
  correlationId: 'r',
  causationId: 'p1',
  actor: { kind: 'operator', id: joseph },
} as const;
const details = {
  merchantId: 'm',
  mode: 'live',
  holder: 'till',
  publicKey: { pem: 'pem', fingerprint: 'f' },
  ipRanges: ['203.0.113.7'],
} as const;
const registered: MerchantEvent = {
  type: 'MerchantRegistered',
  data: { merchantId: 'm', name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
};

/** Adds an event to the merchant's stream, as another process does. */
type Add = (event: MerchantEvent) => Promise<void>;

/**
 * A merchant's log as one process reaches it, and the secrets in the records by client id.
 * @param at the hook at each call
 */
async function begin(at: (add: Add) => AtCall) {
  const log = new MemoryLog();
  const add: Add = async (event) => {
    const last = await log.readLast(merchantStream('m'));
    const added = { id: randomUUID(), event, metadata };
    await log.append(merchantStream('m'), last?.revision ?? 'no_stream', [added]);
  };
  await add(registered);
  const stored = new Map<string, string>();
  let made = 0;
  const secrets = {
    issue: () => {
      made += 1;
      const issued = { clientId: `pp_${made}`, clientSecret: `secret ${made}` };
      stored.set(issued.clientId, issued.clientSecret);
      return Promise.resolve(issued);
    },
    withdraw: (clientId: string) => {
      stored.delete(clientId);
      return Promise.resolve();
    },
  };
  const names = { reserve: () => Promise.resolve(true) };
  const pipeline = new Pipeline(new ReachedLog(log, at(add)), { next: () => randomUUID() });
  const subject = new IssueCredentialSubject(pipeline, names as never, secrets as never);
  const weighed = await subject.weigh(details);
  const seen = weighed.ok ? weighed.value.seen : '';
  const two: Decided = {
    by: 'two',
    proposalId: 'p1',
    seen,
    proposedBy: asha,
    confirmedBy: joseph,
  };
  const confirm = () => subject.carryOut(details, two, metadata);
  const named = () =>
    log.events.flatMap(({ data }) => (data as { readonly clientId?: string }).clientId ?? []);
  return { stored, confirm, named };
}

/** Lets two appends begin only together. */
function together(): AtCall {
  let waiting = 0;
  let release = (): void => undefined;
  const both = new Promise<void>((resolve) => (release = resolve));
  return async (what) => {
    if (what !== 'append sent') return;
    waiting += 1;
    if (waiting === 2) release();
    await both;
  };
}

it('one admin who confirms twice at once gets one secret, and it is the only one that works', async () => {
  const { stored, confirm, named } = await begin(together);
  const done = await Promise.all([confirm(), confirm()]);
  const shown = done.flatMap((each) => (each.ok && each.value ? [each.value] : []));
  expect(done.map(({ ok }) => ok)).toEqual([true, true]);
  expect(shown).toHaveLength(1);
  expect([...stored]).toEqual(shown.map(({ clientId, clientSecret }) => [clientId, clientSecret]));
  expect(named()).toEqual(shown.map(({ clientId }) => clientId));
});

it('a secret is shown if its own append succeeded, though its answer says that another came first', async () => {
  const { stored, confirm, named } = await begin(
    () =>
      (what, stream = '') =>
        what === 'append answered'
          ? Promise.reject(new WrongExpectedRevision(stream, 1n))
          : Promise.resolve(),
  );
  expect(await confirm()).toMatchObject({
    ok: true,
    value: { credentialId: 'p1', clientId: 'pp_1', clientSecret: 'secret 1' },
  });
  expect([...stored.keys()]).toEqual(['pp_1']);
  expect(named()).toEqual(['pp_1']);
});

it('a confirmation that is refused at its append leaves no secret', async () => {
  const bound: MerchantEvent = { type: 'HolderBound', data: { holder: 'till', person: asha } };
  const { stored, confirm } = await begin((add) => async (what) => {
    if (what === 'append sent') await add(bound);
  });
  expect(await confirm()).toEqual({ ok: false, refusal: 'changed' });
  expect([...stored.keys()]).toEqual([]);
});
