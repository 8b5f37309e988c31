import { type CollectionEvent, collectionStream, type Origin } from '#domain/collections';
import { type Mode } from '#domain/kernel';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { type Database } from '#infra/postgres';
import { v3RetirementChannel } from './project.js';
import {
  collectionIntent,
  eventually,
  HandMadeLog,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { type RetirementEvent, retirementStream } from '#domain/v3-retirement';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyBatch } from '#views/projection';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import {
  findV3Standing,
  isV3Retired,
  listCollectionOrigins,
  listMovingMerchants,
} from './query.js';

let server: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, viewSchema());
  database = server.database.beside({ searchPath: [viewSchema()] });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const log = new HandMadeLog(Date.UTC(2027, 10, 1, 23, 59));
const project = (events: HandMadeLog['events']) =>
  database.transaction((transaction) => applyBatch(transaction, events));

const registered = (merchantId: string, name: string) =>
  log.append<MerchantEvent>(merchantStream(merchantId), {
    type: 'MerchantRegistered',
    data: { merchantId, name, timezone: 'Africa/Nairobi', country: 'KE' },
  });

const issued = (merchantId: string, credentialId: string, kind: 'v3' | 'v4') => {
  const data =
    kind === 'v3'
      ? {
          credentialId,
          kind,
          holder: 'till',
          consumerKey: `ck_${credentialId}`,
          publicKeyPem: 'pem',
        }
      : {
          credentialId,
          kind,
          mode: 'live' as const,
          holder: 'till',
          clientId: `pp_${credentialId}`,
          publicKeyPem: 'pem',
          ipRanges: [],
        };
  return log.append<MerchantEvent>(merchantStream(merchantId), { type: 'CredentialIssued', data });
};

const intended = (reference: string, origin: Origin, mode: Mode = 'live') =>
  log.append<CollectionEvent>(
    collectionStream({ mode, merchantId: 'm-1', reference }),
    collectionIntent({ merchantId: 'm-1', mode, reference, origin }),
  );

describe('V3’s end in the views', () => {
  it('is not known before they contain the whole log, and V3 is not reported as active until then', async () => {
    await expect(isV3Retired(database)).rejects.toThrow('first build');
    await expect(findV3Standing(database)).rejects.toThrow('first build');
    await noteFresh(database, 0n, new Date());
    expect(await isV3Retired(database)).toBe(false);
  });

  it('is reported with who and why, and announced to the replicas', async () => {
    let heard = 0;
    const listening = await database.listen(v3RetirementChannel, (payload) => {
      if (payload !== undefined) heard += 1;
    });
    await project(
      log.append<RetirementEvent>(retirementStream, {
        type: 'FinalNoticeIssued',
        data: { text: 'It ends.' },
      }),
    );
    await eventually(() => Promise.resolve(heard), Boolean);
    expect(await isV3Retired(database)).toBe(false);
    await project(
      log.append<RetirementEvent>(retirementStream, {
        type: 'V3Retired',
        data: { callsInWindow: 3, threshold: 100 },
      }),
    );
    await eventually(
      () => Promise.resolve(heard),
      (times) => times === 2,
    );
    await listening.close();
    expect(await isV3Retired(database)).toBe(true);
    const at = '2027-11-01T23:59:00.000Z';
    expect(await findV3Standing(database)).toEqual({
      notices: [{ at, operator: 'spec', text: 'It ends.' }],
      retired: { at, operator: 'spec', reason: undefined, callsInWindow: 3, threshold: 100 },
    });
  });
});

describe('merchants migrating to V4', () => {
  it('are those with a V3 credential or V3 calls; their collections show their use of V4', async () => {
    const begun = log.events.length;
    registered('m-1', 'Duka');
    registered('m-2', 'Soko');
    registered('m-3', 'Bidhaa');
    issued('m-1', 'c1', 'v3');
    issued('m-1', 'c2', 'v4');
    issued('m-3', 'c3', 'v3');
    log.append<MerchantEvent>(merchantStream('m-3'), {
      type: 'CredentialRevoked',
      data: { credentialId: 'c3' },
    });
    intended('a', 'v3');
    intended('b', 'v4');
    log.wait(60_000);
    intended('c', 'v4');
    intended('d', 'v4', 'demo');
    await project(log.events.slice(begun));
    await project(intended('e', 'v4'));

    const duka = { merchantId: 'm-1', name: 'Duka', v3Credentials: 1, v4Credentials: 1 };
    const moved = { ...duka, checkoutKeys: 0, lastV4Day: '2027-11-02' };
    expect(await listMovingMerchants(database, [])).toEqual([moved]);
    expect(await listMovingMerchants(database, ['m-3'])).toMatchObject([
      { name: 'Bidhaa', v3Credentials: 0 },
      moved,
    ]);
    expect(await listCollectionOrigins(database, '2027-11-01')).toEqual([
      { merchantId: 'm-1', day: '2027-11-01', origin: 'v3', collections: 1 },
      { merchantId: 'm-1', day: '2027-11-01', origin: 'v4', collections: 1 },
      { merchantId: 'm-1', day: '2027-11-02', origin: 'v4', collections: 3 },
    ]);
  });
});
