import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertClientSecret, RecordedCredentialSecrets } from '#records/credentials';
import { Keyring } from '#shared/signing';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { createViews, viewSchema } from '#views/view-set';
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

describe('from where a credential may call', () => {
  it('is what the views tell, once they must have read of it', async () => {
    await setMinutesAgo('c-1', 'm-1');
    expect(await rangesOf('c-1')).toEqual(issued);
  });

  it('is what was set last, for as long as the merchant’s own stream stands still in the views', async () => {
    await setMinutesAgo('c-2', 'm-2');
    await postgres.database.query(
      `insert into quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
       values ('m-2', 'merchant', 7, 'merchant-m-2', 'FeeScheduleSet', gen_random_uuid(), now(), 'spec', 6)`,
    );
    await postgres.database.query('update checkpoint set quarantined = 1');
    expect([await rangesOf('c-2'), await rangesOf('c-1')]).toEqual([set, issued]);
  });

  it('is the list that the log has last, whichever of two admins’ commands writes last', async () => {
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
