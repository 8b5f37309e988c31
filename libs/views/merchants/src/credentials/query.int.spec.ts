import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Instant } from '#domain/kernel';
import { insertClientSecret, RecordedCredentialSecrets } from '#records/credentials';
import { Keyring } from '#shared/signing';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { createViews, viewSchema } from '#views/view-set';
import { listEndingCredentials, soonestCredentialEnds } from './ending-list.js';
import { findCredential } from './query.js';

let postgres: ThrowAwayDatabase;
beforeAll(async () => {
  postgres = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(postgres.database, viewSchema());
});
afterAll(() => postgres.drop());

const [issued, set] = [['198.51.100.0/24'], ['203.0.113.7']];

const secrets = () =>
  new RecordedCredentialSecrets(
    postgres.database,
    Keyring.from([{ id: 'k', bytes: Buffer.alloc(32) }]),
  );

/** A credential whose addresses an operator set some minutes ago. */
async function setMinutesAgo(credentialId: string, merchantId: string): Promise<void> {
  const { database } = postgres;
  await database.query(`insert into merchants values ($1, 'Duka', 'Africa/Nairobi', 'KE')`, [
    merchantId,
  ]);
  await database.query(
    `insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, public_key_pem, ip_ranges, revoked)
     values ($1, $2, 'v4', 'live', 'till', $1, 'pem', $3, false)`,
    [credentialId, merchantId, issued],
  );
  await insertClientSecret(database, {
    clientId: credentialId,
    credentialId,
    secretHash: Buffer.alloc(32),
  });
  await secrets().allowFrom(credentialId, set, 2n);
  await database.query(
    `update records.client_secrets set ip_ranges_set_at = ip_ranges_set_at - interval '5 minutes'
      where credential_id = $1`,
    [credentialId],
  );
  await database.query('update checkpoint set fresh_at = records.now_()');
}

const rangesOf = async (credentialId: string) =>
  (await findCredential(postgres.database, credentialId))?.ipRanges;

describe('the addresses a credential may call from', () => {
  it('come from the views once these must have read the change', async () => {
    await setMinutesAgo('c-1', 'm-1');
    expect(await rangesOf('c-1')).toEqual(issued);
  });

  it('are the last ones set while the merchant’s own stream is quarantined in the views', async () => {
    await setMinutesAgo('c-2', 'm-2');
    await postgres.database.query(
      `insert into quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
       values ('m-2', 'merchant', 7, 'merchant-m-2', 'FeeScheduleSet', gen_random_uuid(), now(), 'spec', 6)`,
    );
    await postgres.database.query('update checkpoint set quarantined = 1');
    expect([await rangesOf('c-2'), await rangesOf('c-1')]).toEqual([set, issued]);
  });

  it('are the last list in the log, whichever of two admins’ commands writes last', async () => {
    await setMinutesAgo('c-3', 'm-3');
    const [wide, narrow] = [['203.0.113.0/24'], ['203.0.113.7']];
    // A narrow list is written before its event, with the revision that its writer has read.
    await secrets().allowFrom('c-3', narrow, 2n);
    expect(await rangesOf('c-3')).toEqual(narrow);
    await secrets().allowFrom('c-3', wide, 3n);
    expect(await rangesOf('c-3')).toEqual(wide);
    await secrets().allowFrom('c-3', narrow, 4n);
    await secrets().allowFrom('c-3', wide, 3n);
    expect(await rangesOf('c-3')).toEqual(narrow);
    await secrets().allowFrom('c-3', wide, 5n);
    expect(await rangesOf('c-3')).toEqual(wide);
  });
});

const day = 86_400_000;
const instantIn = (days: number) => new Date(Date.now() + days * day).toISOString() as Instant;

/** A credential that the views and the records have with this end. */
async function endsIn(
  credentialId: string,
  days: number | undefined,
  { mode = 'live', revoked = false }: { mode?: 'live' | 'demo' | null; revoked?: boolean } = {},
): Promise<void> {
  await postgres.database.query(
    `insert into merchants values ('m-end', 'Duka', 'Africa/Nairobi', 'KE') on conflict do nothing`,
  );
  await postgres.database.query(
    `insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, public_key_pem, ip_ranges, revoked)
     values ($1, 'm-end', case when $2::text is null then 'v3' else 'v4' end, $2, 'till', $1, 'pem', $3, $4)`,
    [credentialId, mode, issued, revoked],
  );
  if (days !== undefined) await secrets().endAt(credentialId, instantIn(days), 1n);
}

describe('the end of a credential', () => {
  const endOf = async (credentialId: string) =>
    (await findCredential(postgres.database, credentialId))?.expiresAt?.toISOString();

  it('is the last one in the log, whichever process writes last', async () => {
    const [sooner, later] = [instantIn(1), instantIn(9)];
    await endsIn('e-1', undefined);
    expect(await endOf('e-1')).toBeUndefined();
    await secrets().endAt('e-1', sooner, 2n);
    expect(await endOf('e-1')).toBe(sooner);
    await secrets().endAt('e-1', later, 4n);
    await secrets().endAt('e-1', sooner, 3n);
    expect(await endOf('e-1')).toBe(later);
    await secrets().endAt('e-1', undefined, 5n);
    expect(await endOf('e-1')).toBeUndefined();
  });
});

describe('the credentials that end', () => {
  beforeAll(async () => {
    await postgres.database.query('delete from credentials');
    for (const [id, days] of [
      ['l-40', 40],
      ['l-20', 20],
      ['l-3', 3],
      ['ended', -2],
      ['long-ended', -20],
      ['for-ever', undefined],
    ] as const)
      await endsIn(id, days);
    await endsIn('revoked', 1, { revoked: true });
    await endsIn('d-5', 5, { mode: 'demo' });
    await endsIn('v3-4', 4, { mode: null });
  });

  const listed = async (withinDays: number, endedDays: number, limit = 10) =>
    (await listEndingCredentials(postgres.database, { withinDays, endedDays }, limit)).map(
      ({ credentialId, secondsLeft }) => [credentialId, Math.round(secondsLeft / 86_400)],
    );

  it('are listed by end, without those revoked or ended long ago', async () => {
    expect(await listed(30, 0)).toEqual([
      ['l-3', 3],
      ['v3-4', 4],
      ['d-5', 5],
      ['l-20', 20],
    ]);
    expect(await listed(7, 7, 2)).toEqual([
      ['ended', -2],
      ['l-3', 3],
    ]);
  });

  it('are summarised by the first of each mode, and V3 counts as live', async () => {
    const first = async (endedDays: number) =>
      (await soonestCredentialEnds(postgres.database, endedDays))
        .map(({ mode, secondsLeft }) => [mode, Math.round(secondsLeft / 86_400)])
        .sort();
    expect(await first(7)).toEqual([
      ['demo', 5],
      ['live', -2],
    ]);
    await postgres.database.query(
      `delete from credentials where credential_id in ('l-3', 'ended')`,
    );
    expect(await first(7)).toEqual([
      ['demo', 5],
      ['live', 4],
    ]);
  });
});
