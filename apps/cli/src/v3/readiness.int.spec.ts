import { Clock, type Instant, msFromInstant } from '#domain/kernel';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { addV3Counts } from '#records/v3-usage';
import { Database } from '#infra/postgres';
import { applyBatch } from '#views/projection';
import { unattributedV3Caller, unknownV3Caller } from '#views/v3-usage';
import { createViews, viewSchema } from '#views/view-set';
import { HandMadeLog, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { type INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readinessOf } from './readiness.js';
import { standingOf } from './standing.js';
import { V3Terms } from './v3-terms.js';

class FixedClock extends Clock {
  instant = '2027-09-14T09:00:00.000Z' as Instant;
  nowMs(): number {
    return msFromInstant(this.instant);
  }
}

const clock = new FixedClock();
let server: ThrowAwayDatabase;
let database: Database;
/** The app as commands get it. */
let app: INestApplicationContext;

beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, viewSchema());
  database = server.database.beside({ searchPath: [viewSchema()] });
  await database.query('update checkpoint set fresh_at = now()');
  const bound = new Map<unknown, unknown>([
    [Database, database],
    [Clock, clock],
    [V3Terms, { gaDate: '2026-11-21', threshold: 100 }],
  ]);
  app = { get: (token: unknown) => bound.get(token) } as INestApplicationContext;

  const log = new HandMadeLog(Date.UTC(2027, 8, 1));
  for (const [merchantId, name, kinds] of [
    ['m-ready', 'Aina', ['v3', 'v4']],
    ['m-half', 'Bidhaa', ['v3', 'v4']],
    ['m-old', 'Chama', ['v3']],
    ['m-new', 'Duka', ['v4']],
  ] as const) {
    log.append<MerchantEvent>(merchantStream(merchantId), {
      type: 'MerchantRegistered',
      data: { merchantId, name, timezone: 'Africa/Nairobi', country: 'KE' },
    });
    for (const kind of kinds) log.append(merchantStream(merchantId), issued(merchantId, kind));
  }
  await database.transaction((transaction) => applyBatch(transaction, log.events));
  await database.query(
    `insert into collection_origins values ('m-ready', 'live', 'v4', '2027-09-13', 5),
      ('m-half', 'live', 'v4', '2027-08-01', 5)`,
  );
  const call = (merchantId: string, day: string, calls: number) => ({
    day,
    merchantId,
    route: 'balance',
    calls,
  });
  const day = '2027-09-10';
  await addV3Counts(server.database, {
    calls: [
      ...[call('m-old', day, 40), call('m-old', '2027-08-14', 1000), call('m-half', day, 2)],
      ...[call(unknownV3Caller, day, 900), call(unattributedV3Caller, day, 3)],
    ],
    links: [{ day, merchantId: 'm-old', links: 6, movable: 4 }],
    phoneReferences: [
      { day, merchantId: 'm-old', collections: 7 },
      { day: '2027-07-01', merchantId: 'm-old', collections: 1 },
    ],
    counting: [
      { day, firstAt: new Date(`${day}T00:00:00Z`), lastAt: new Date(`${day}T12:00:00Z`) },
    ],
  });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

function issued(merchantId: string, kind: 'v3' | 'v4'): MerchantEvent {
  const common = { credentialId: `${merchantId}-${kind}`, holder: 'till', publicKeyPem: 'pem' };
  return {
    type: 'CredentialIssued',
    data:
      kind === 'v3'
        ? { ...common, kind, consumerKey: `ck-${merchantId}` }
        : { ...common, kind, mode: 'live', clientId: `pp-${merchantId}`, ipRanges: [] },
  };
}

describe('readiness', () => {
  it('names what is missing for every merchant of V3, and for no other', async () => {
    const { merchants, unknownCalls, unattributedCalls } = await readinessOf(app);
    expect(
      merchants.map(({ merchantId, v4, callsInWindow, missing }) => ({
        merchantId,
        v4: v4.state,
        callsInWindow,
        missing,
      })),
    ).toEqual([
      { merchantId: 'm-ready', v4: 'in_use', callsInWindow: 0, missing: [] },
      {
        merchantId: 'm-half',
        v4: 'issued',
        callsInWindow: 2,
        missing: ['v4_not_in_use', 'v3_still_called'],
      },
      {
        merchantId: 'm-old',
        v4: 'none',
        callsInWindow: 40,
        missing: [
          ...['v4_credential_not_issued', 'checkout_key_not_issued'],
          ...['sha1_links_still_used', 'v3_still_called'],
        ],
      },
    ]);
    expect([unknownCalls, unattributedCalls]).toEqual([900, 3]);
    expect(merchants.map(({ phoneReferencesInWindow }) => phoneReferencesInWindow)).toEqual([
      0, 0, 7,
    ]);
  });

  it('shows 90 days, and flags SHA-1 links from month 9 on', async () => {
    const { days, uncountedDays, merchants } = await readinessOf(app, 'm-old');
    expect([days.length, days[0], days.at(-1)]).toEqual([90, '2027-06-17', '2027-09-14']);
    expect(uncountedDays).toHaveLength(89);
    expect(merchants).toMatchObject([
      {
        calls: [{ calls: 1000 }, { calls: 40 }],
        links: { inWindow: 6, movableInWindow: 4, flagged: true },
      },
    ]);
    clock.instant = '2027-08-20T23:59:59.999Z' as Instant;
    const [before] = (await readinessOf(app, 'm-old')).merchants;
    expect(before?.links.flagged).toBe(false);
    clock.instant = '2027-09-14T09:00:00.000Z' as Instant;
  });
});

describe('V3’s standing', () => {
  it('counts the calls of merchants, noted or not, against the threshold, and no others', async () => {
    const { usage, missing } = await standingOf(app);
    expect(usage.callsInWindow).toBe(45);
    expect(usage.uncountedDays).toHaveLength(29);
    expect(missing).toEqual([
      'month_12_not_over',
      'no_final_notice',
      'counters_do_not_cover_30_days',
    ]);
  });
});
