import { type MerchantEvent } from '#merchants';
import { announceCredential, type Queryable } from '#postgres';

type Issued = Extract<MerchantEvent, { type: 'CredentialIssued' }>['data'];

const insert = `
  insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, public_key_pem,
    ip_ranges, rate, revoked)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, false)`;
const revoke = `update credentials set revoked = true where credential_id = $1`;

export async function projectCredentialIssued(
  transaction: Queryable,
  merchantId: string,
  credential: Issued,
): Promise<void> {
  const { credentialId, kind, mode, holder, clientId, publicKeyPem, ipRanges, rate } = credential;
  await transaction.query(insert, [
    credentialId,
    merchantId,
    kind,
    mode,
    holder,
    clientId,
    publicKeyPem,
    ipRanges,
    rate ?? null,
  ]);
  await announceCredential(transaction, credentialId);
}

/** What the replicas have cached of the credential ends with the commit. */
export async function projectCredentialRevoked(
  transaction: Queryable,
  credentialId: string,
): Promise<void> {
  await transaction.query(revoke, [credentialId]);
  await announceCredential(transaction, credentialId);
}
