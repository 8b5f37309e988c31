import { type HeldRole } from '#domain/people';
import { type Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { type AccessRequests } from '#records/people';
import { History, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { databaseNow, noteFresh } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Viewer } from '../access/viewer.js';
import { MerchantPagesOptions } from '../merchant/options.js';
import { type WaitingChanges } from '../operator/proposals.controller.js';
import { WaitingForTwo } from '../operator/waiting.controller.js';
import { noSideFacts, type SideAsked } from '../page/side-facts.js';
import { CachedSideFacts } from './cached-side-facts.js';

let server: ThrowAwayDatabase;
let history: History;
beforeAll(async () => {
  server = await throwAwayDatabase();
  history = await History.begin(server);
});
afterAll(async () => {
  await history.database.close();
  await server.drop();
});

async function project(): Promise<void> {
  await history.project();
  await noteFresh(history.database, 0n, await databaseNow(history.database));
}

const options = new MerchantPagesOptions(
  3_600_000,
  createLogger({ app: 'spec', level: 'silent' }),
  '2026-01-01',
);
const noRequests = { listSent: () => Promise.resolve([]) } as unknown as AccessRequests;
const noChanges = { list: () => Promise.resolve([]) } as unknown as WaitingChanges;

/** Facts that a busy machine reads in time, too. */
class PatientSideFacts extends CachedSideFacts {
  protected override readonly maxWaitMs = 60_000;
}

function factsOf(
  database: Database,
  Facts: typeof CachedSideFacts = PatientSideFacts,
): CachedSideFacts {
  const waiting = new WaitingForTwo(database, noChanges, noRequests);
  return new Facts(database, database, waiting, options);
}

const amina = { issuer: 'https://id.example', subject: 'amina' };
const joseph = { ...amina, subject: 'joseph' };
const asked = (
  roles: readonly HeldRole[],
  {
    isFresh = false,
    person = amina,
    path = '/portal/sessions',
  }: { isFresh?: boolean; person?: typeof amina; path?: string } = {},
): SideAsked => ({
  viewer: { person, roles, merchant: undefined, firstMode: 'demo' } as unknown as Viewer,
  path,
  isFresh,
});
const ownerOf = (...merchants: readonly string[]): readonly HeldRole[] =>
  merchants.map((merchantId) => ({ role: 'owner', merchantId }));

describe('the facts of the sidebar (POR-114)', () => {
  it('count the work that waits, and read it again only after a while or after a form', async () => {
    history.payOut('wage', 'request');
    history.suspend(await history.intend('held'));
    await project();
    const facts = factsOf(history.database);
    const own = ownerOf('m-1');
    const path = '/portal/merchants/m-1/demo/home';
    expect(await facts.of(asked(own, { path }))).toEqual({
      ...noSideFacts,
      counts: { payouts: 1, webhooks: 0 },
    });
    expect((await facts.of(asked([{ role: 'viewer' }]))).counts).toEqual({
      waiting: 0,
      reviews: 1,
    });
    history.payOut('wage-2', 'request');
    await project();
    expect((await facts.of(asked(own))).counts.payouts).toBe(1);
    expect((await facts.of(asked(own, { isFresh: true }))).counts.payouts).toBe(2);
    expect((await facts.of(asked(own))).counts.payouts).toBe(2);
  });

  it('count approvals for each person: those that they may decide, and not their own', async () => {
    const { database } = history;
    await database.query(
      `insert into records.review_proposals (id, stream, mode, decision, reason, proposed_by)
       values (gen_random_uuid(), 'collection-demo:m-1:held', 'demo', 'refunded', 'line 12', $1)`,
      ['https://id.example#amina'],
    );
    const facts = factsOf(database);
    const waitingFor = async (role: 'finance' | 'viewer', person = amina) =>
      (await facts.of(asked([{ role }], { person }))).counts.waiting;
    // Both may decide the two payouts.
    expect(await waitingFor('finance', joseph)).toBe(3);
    expect(await waitingFor('finance', amina)).toBe(2);
    expect(await waitingFor('viewer', joseph)).toBe(0);
  });

  it('name the merchants of a person who has several', async () => {
    const { names } = await factsOf(history.database).of(asked(ownerOf('m-1', 'm-2')));
    expect([...names.keys()].toSorted()).toEqual(['m-1', 'm-2']);
  });

  it('name the only merchant of a person on pages that are no merchant’s, such as a step-up', async () => {
    const { names } = await factsOf(history.database).of(asked(ownerOf('m-1')));
    expect([...names.keys()]).toEqual(['m-1']);
  });

  it('know a merchant that had a credential of V3, even a revoked one', async () => {
    const usesV3 = async (): Promise<boolean> =>
      (await factsOf(history.database).of(asked(ownerOf('m-1')))).usesV3;
    expect(await usesV3()).toBe(false);
    await history.database.query(
      `insert into credentials (credential_id, merchant_id, mode, kind, holder, revoked)
       values ('019aa5d5-b000-7000-8000-000000000000', 'm-1', 'demo', 'v3', 'h', true)`,
    );
    expect(await usesV3()).toBe(true);
  });

  it('are absent if the store does not answer in time, and ask it once', async () => {
    let queries = 0;
    const silent = {
      query: () => {
        queries += 1;
        return new Promise<never>(() => undefined);
      },
    } as unknown as Database;
    const facts = factsOf(silent, CachedSideFacts);
    expect(await facts.of(asked(ownerOf('m-1')))).toEqual(noSideFacts);
    const first = queries;
    expect(first).toBeGreaterThan(0);
    expect(await facts.of(asked(ownerOf('m-1')))).toEqual(noSideFacts);
    expect(queries).toBe(first);
  });
});
