import { type CorrectionEvent } from '#domain/corrections';
import { type EventMetadata } from '#domain/event-sourcing';
import { type EvidenceEvent, evidenceStream } from '#domain/evidence';
import { type Instant } from '#domain/kernel';
import { type LossEvent, lossesStream, lossListStream } from '#domain/losses';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { automaticApprover, type PayoutEvent } from '#domain/payouts';
import { type RoleEvent, roleStream } from '#domain/people';
import { type Database } from '#infra/postgres';
import { HandMadeLog, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actOf } from './act.js';
import { projectActs } from './project.js';
import { actsUpTo, type ActsWanted, listActs } from './query.js';

const amina = 'https://id.example#amina';
const joseph = 'https://id.example#joseph';
const operator = (id: string, more: Partial<EventMetadata> = {}): Partial<EventMetadata> => ({
  actor: { kind: 'operator', id },
  ...more,
});
const ofApi = (holder: string): Partial<EventMetadata> => ({
  actor: { kind: 'credential', id: 'c-1', holder },
});
const log = new HandMadeLog();

function told(
  stream: string,
  event: CorrectionEvent | EvidenceEvent | LossEvent | MerchantEvent | PayoutEvent | RoleEvent,
  metadata: Partial<EventMetadata> = {},
): void {
  const [recorded] = log.append(stream, event);
  if (!recorded) throw new TypeError('nothing was appended');
  log.events[log.events.length - 1] = {
    ...recorded,
    metadata: { ...recorded.metadata, ...metadata },
  };
  log.wait(1000);
}

const fee = (basisPoints: number): MerchantEvent => ({
  type: 'FeeScheduleSet',
  data: { mode: 'live', basisPoints, flatMinor: 0n },
});
const bound = { amountMinor: 5000n, phoneHmac: 'a-digest' };
const payout = 'payout-demo:m-1:P-1';
const at = '2026-11-20T11:05:00.000Z' as Instant;
const lost = {
  list: 'l-1',
  messages: 1,
  claims: 0,
  digest: 'd',
  fromPosition: '1',
  toPosition: '2',
  from: at,
  to: at,
};

let server: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, viewSchema());
  database = server.database.beside({ searchPath: [viewSchema()] });
  await noteFresh(database, 0n, new Date());
  told(merchantStream('m-1'), fee(150), operator(amina, { reason: 'as signed' }));
  told(merchantStream('m-2'), fee(200), operator(joseph));
  const granted = { person: joseph, name: 'Joseph', role: 'finance' } as const;
  told(
    roleStream,
    {
      type: 'RoleGranted',
      data: { ...granted, proposedBy: amina, confirmedBy: 'https://id.example#zawadi' },
    },
    operator('https://id.example#zawadi', { causationId: 'the proposal' }),
  );
  told(
    evidenceStream,
    {
      type: 'EvidenceOpened',
      data: { stream: 'collection-live:m-2:INV-1', messages: 2, digest: 'd' },
    },
    operator(amina, { reason: 'a dispute' }),
  );
  told(payout, { type: 'PayoutApproved', data: { holder: 'asha', ...bound } }, ofApi('asha'));
  told(
    lossesStream,
    { type: 'LossesAccepted', data: { ...lost, proposedBy: amina, confirmedBy: joseph } },
    operator(joseph, { reason: 'restored', causationId: 'the proposal' }),
  );
  // None of these is an act.
  told(
    payout,
    { type: 'PayoutApproved', data: { holder: automaticApprover, ...bound } },
    ofApi('asha'),
  );
  told(
    payout,
    { type: 'PayoutApproved', data: { holder: 'asha', ...bound } },
    operator(amina, { causationId: 'the batch' }),
  );
  told(
    payout,
    { type: 'PayoutReserved', data: { ...bound, reservationsRevision: '1' } },
    operator(amina),
  );
  told(payout, { type: 'ReviewFlagged', data: { why: 'float_missing' } });
  told(
    lossListStream('l-1'),
    { type: 'LossesListed', data: { kind: 'messages', ids: ['a-message'] } },
    operator(amina, { reason: 'restored' }),
  );
  const correction: CorrectionEvent = {
    type: 'CorrectionProposed',
    data: {
      merchantId: 'm-1',
      mode: 'live',
      currency: 'KES',
      why: 'paid \u0000 twice',
      proposedBy: amina,
      legs: [{ account: 'fees', amountMinor: 1n }],
    } as never,
  };
  told('correction-live:k-1', correction, operator(amina));
  await projectActs(database, log.events);
  await database.query('update checkpoint set position = $1', [log.events.at(-1)?.position]);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const found = async (wanted: ActsWanted): Promise<string[]> =>
  (await listActs(database, wanted, { limit: 100 })).acts.map(({ type }) => type);

describe('acts', () => {
  it('are people’s actions, newest first, without their consequences or machines’ actions', async () => {
    expect(await found({})).toEqual([
      ...['CorrectionProposed', 'LossesAccepted', 'PayoutApproved', 'EvidenceOpened'],
      ...['RoleGranted', 'FeeScheduleSet', 'FeeScheduleSet'],
    ]);
  });

  it('are found by participant, kind, merchant and time, singly and combined', async () => {
    expect(await found({ people: [joseph] })).toEqual(['LossesAccepted', 'FeeScheduleSet']);
    expect(await found({ people: [amina], kind: 'evidence' })).toEqual([
      ...['LossesAccepted', 'EvidenceOpened'],
    ]);
    // The proposer took part.
    expect(await found({ people: [amina], kind: 'role' })).toEqual(['RoleGranted']);
    expect(await found({ people: ['asha'] })).toEqual(['PayoutApproved']);
    expect(await found({ people: [] })).toEqual([]);
    // An act about evidence belongs to the merchant of the payment.
    expect(await found({ merchantId: 'm-2' })).toEqual(['EvidenceOpened', 'FeeScheduleSet']);
    const from = new Date(log.events[1]?.recordedAt ?? '');
    const until = new Date(log.events[3]?.recordedAt ?? '');
    expect(await found({ from, until })).toEqual(['RoleGranted', 'FeeScheduleSet']);
    expect(await found({ from, until, merchantId: 'm-1' })).toEqual([]);
  });

  it('contain the reason, the subject and the person concerned, but no digest of a number', async () => {
    const { acts } = await listActs(database, {}, { limit: 100 });
    expect(acts.at(-1)).toMatchObject({
      actor: amina,
      reason: 'as signed',
      merchantId: 'm-1',
      mode: 'live',
      kind: 'fee',
      details: { basisPoints: 150, flatMinor: '0' },
    });
    expect(acts.find(({ kind }) => kind === 'correction')?.reason).toBe('paid \\0 twice');
    expect(JSON.stringify(acts.map(({ details }) => details))).not.toContain('a-digest');
  });

  it('are listed in pages, and completely up to a position in log order', async () => {
    const first = await listActs(database, {}, { limit: 4 });
    expect([first.acts.length, first.more]).toEqual([4, true]);
    const before = first.acts.at(-1)?.position ?? 0n;
    const second = await listActs(database, {}, { limit: 4, before });
    expect([second.acts.length, second.more]).toEqual([3, false]);
    const upTo = first.acts.at(1)?.position ?? 0n;
    const types = await Array.fromAsync(actsUpTo(database, {}, upTo), ({ type }) => type);
    expect(types).toEqual([
      ...['FeeScheduleSet', 'FeeScheduleSet', 'RoleGranted'],
      ...['EvidenceOpened', 'PayoutApproved', 'LossesAccepted'],
    ]);
  });

  it('are not derived from an unknown event type', () => {
    const [event] = log.events;
    if (!event) throw new TypeError('the log is empty');
    expect(actOf({ ...event, type: 'MerchantRenamed' })).toBeUndefined();
  });
});
