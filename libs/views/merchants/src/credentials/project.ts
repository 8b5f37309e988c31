import { type MerchantEvent } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import { setCredentialEnd } from './ending.js';
import { announceCredential } from './query.js';

type Issued = Extract<MerchantEvent, { type: 'CredentialIssued' }>['data'];
type ExpirySet = Extract<MerchantEvent, { type: 'CredentialExpirySet' }>['data'];
type IpListChanged = Extract<MerchantEvent, { type: 'IpListChanged' }>;

interface Projected<Data> {
  readonly data: Data;
  /** The event's revision in the merchant's stream. */
  readonly revision: bigint;
}

const insert = `
  insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, consumer_key, key_id,
    public_key_pem, ip_ranges, rate, revoked)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false)`;
const setRanges = `update credentials set ip_ranges = $2 where credential_id = $1`;
const revoke = `update credentials set revoked = true where credential_id = $1`;

export async function projectCredentialIssued(
  transaction: Queryable,
  merchantId: string,
  { data: credential, revision }: Projected<Issued>,
): Promise<void> {
  const { credentialId, kind, holder, expiresAt } = credential;
  await transaction.query(insert, [
    credentialId,
    merchantId,
    kind,
    kind === 'v3' ? null : credential.mode,
    holder,
    kind === 'v4' ? credential.clientId : null,
    kind === 'v3' ? credential.consumerKey : null,
    kind === 'checkout' ? credential.keyId : null,
    kind === 'checkout' ? null : credential.publicKeyPem,
    kind === 'v4' ? credential.ipRanges : null,
    kind === 'v4' ? (credential.rate ?? null) : null,
  ]);
  if (expiresAt !== undefined)
    await setCredentialEnd(transaction, { credentialId, expiresAt, revision });
  await announceCredential(transaction, credentialId);
  // The cached merchant lists its credentials.
  await announceCredential(transaction, merchantId);
}

/** Revokes the credential; the commit ends the replicas' caches of it. */
export async function projectCredentialRevoked(
  transaction: Queryable,
  credentialId: string,
): Promise<void> {
  await transaction.query(revoke, [credentialId]);
  await announceCredential(transaction, credentialId);
}

/** Sets the end of the credential, or removes it; the commit ends the replicas' caches of it. */
export async function projectExpirySet(
  transaction: Queryable,
  { data: { credentialId, expiresAt }, revision }: Projected<ExpirySet>,
): Promise<void> {
  await setCredentialEnd(transaction, { credentialId, expiresAt, revision });
  await announceCredential(transaction, credentialId);
}

/** Sets the addresses of the credential; the commit ends the replicas' caches of it. */
export async function projectIpListChanged(
  transaction: Queryable,
  { credentialId, ipRanges }: IpListChanged['data'],
): Promise<void> {
  await transaction.query(setRanges, [credentialId, ipRanges]);
  await announceCredential(transaction, credentialId);
}
