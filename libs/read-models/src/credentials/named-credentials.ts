import { type Mode } from '#kernel';
import { type Queryable } from '#postgres';
import { requireServable, type Servability } from '../view-set/freshness.js';

/** A V3 credential as its consumer key finds it; of no mode. */
export interface V3CredentialRecord {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly holder: string;
  readonly consumerKey: string;
  readonly publicKeyPem: string;
}

/** A key of V4's checkout links as its key id finds it. */
export interface CheckoutKeyRecord {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly keyId: string;
}

type Found<Record> = Servability & { readonly [Member in keyof Record]: Record[Member] | null };

const byConsumerKey = {
  name: 'credential-by-consumer-key',
  text: `
  select checkpoint.fresh_at, c.credential_id as "credentialId", c.merchant_id as "merchantId", c.holder,
    c.consumer_key as "consumerKey", c.public_key_pem as "publicKeyPem"
  from checkpoint left join credentials c
    on c.consumer_key = $1 and c.kind = 'v3' and not c.revoked`,
};
const byKeyId = {
  name: 'credential-by-key-id',
  text: `
  select checkpoint.fresh_at, c.credential_id as "credentialId", c.merchant_id as "merchantId", c.mode, c.holder,
    c.key_id as "keyId"
  from checkpoint left join credentials c
    on c.key_id = $1 and c.kind = 'checkout' and not c.revoked`,
};

/**
 * Where it exists and was not revoked.
 * @throws DependencyUnavailable where the views were never caught up
 */
export async function findV3Credential(
  database: Queryable,
  consumerKey: string,
): Promise<V3CredentialRecord | undefined> {
  const rows = await database.query<Found<V3CredentialRecord>>(byConsumerKey, [consumerKey]);
  return present(requireServable(rows[0]));
}

/**
 * Where it exists and was not revoked.
 * @throws DependencyUnavailable where the views were never caught up
 */
export async function findCheckoutKey(
  database: Queryable,
  keyId: string,
): Promise<CheckoutKeyRecord | undefined> {
  const rows = await database.query<Found<CheckoutKeyRecord>>(byKeyId, [keyId]);
  return present(requireServable(rows[0]));
}

/** The joined side of the row: all of it, or nothing. */
function present<Record>({ fresh_at: _freshAt, ...row }: Found<Record>): Record | undefined {
  const found: unknown = row;
  return (found as { credentialId: string | null }).credentialId === null
    ? undefined
    : (found as Record);
}
