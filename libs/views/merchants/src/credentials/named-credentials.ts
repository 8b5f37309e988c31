import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';
import { joinedEnds } from './ending.js';

/** A V3 credential, looked up by its consumer key; it has no mode. */
export interface V3CredentialRecord {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly holder: string;
  readonly consumerKey: string;
  readonly publicKeyPem: string;
  /** Null if it has no end. */
  readonly expiresAt: Date | null;
}

/** A key of V4's checkout links, looked up by its key id. */
export interface CheckoutKeyRecord {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly keyId: string;
  /** Null if it has no end. */
  readonly expiresAt: Date | null;
}

type Found<Record> = Servability & { readonly [Member in keyof Record]: Record[Member] | null };

/** Yields a row for each name, in the given order; none if there is no checkpoint. */
const asked = `
  from unnest($1::text[]) with ordinality as asked (name, place)
  cross join checkpoint
  left join credentials c`;
const byConsumerKey = {
  name: 'credentials-by-consumer-key',
  text: `
  select checkpoint.fresh_at, c.credential_id as "credentialId", c.merchant_id as "merchantId", c.holder,
    c.consumer_key as "consumerKey", c.public_key_pem as "publicKeyPem", ends.expires_at as "expiresAt"
  ${asked} on c.consumer_key = asked.name and c.kind = 'v3' and not c.revoked
  ${joinedEnds}
  order by asked.place`,
};
const byKeyId = {
  name: 'credentials-by-key-id',
  text: `
  select checkpoint.fresh_at, c.credential_id as "credentialId", c.merchant_id as "merchantId", c.mode, c.holder,
    c.key_id as "keyId", ends.expires_at as "expiresAt"
  ${asked} on c.key_id = asked.name and c.kind = 'checkout' and not c.revoked
  ${joinedEnds}
  order by asked.place`,
};

/**
 * The credentials in the order of the keys; undefined if one does not exist or was revoked.
 * @throws DependencyUnavailable if the views were never caught up
 */
export async function findV3Credentials(
  database: Queryable,
  consumerKeys: readonly string[],
): Promise<readonly (V3CredentialRecord | undefined)[]> {
  const rows = await database.query<Found<V3CredentialRecord>>(byConsumerKey, [consumerKeys]);
  return consumerKeys.map((_key, index) => present(requireServable(rows[index])));
}

/** The same as `findV3Credentials` for checkout keys. */
export async function findCheckoutKeys(
  database: Queryable,
  keyIds: readonly string[],
): Promise<readonly (CheckoutKeyRecord | undefined)[]> {
  const rows = await database.query<Found<CheckoutKeyRecord>>(byKeyId, [keyIds]);
  return keyIds.map((_id, index) => present(requireServable(rows[index])));
}

/** Returns the joined side of the row, or undefined if nothing was joined. */
function present<Record>({ fresh_at: _freshAt, ...row }: Found<Record>): Record | undefined {
  const found: unknown = row;
  return (found as { credentialId: string | null }).credentialId === null
    ? undefined
    : (found as Record);
}
