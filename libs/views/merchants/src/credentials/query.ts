import { type Queryable } from '#infra/postgres';
import { type Mode } from '#domain/kernel';
import { requireServable, type Servability } from '#views/view-set';
import { joinedEnds } from './ending.js';

/** The channel that announces the id of a credential or merchant whenever its data change. */
export const credentialsChannel = 'credentials';

const announce = `select pg_notify($1, $2)`;

/** Makes all processes forget their cache of a credential or merchant when the caller's transaction commits. */
export async function announceCredential(database: Queryable, id: string): Promise<void> {
  await database.query(announce, [credentialsChannel, id]);
}

/** The fields of a V4 credential that authentication needs. */
export interface Credential {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly clientId: string;
  readonly publicKeyPem: string;
  readonly ipRanges: readonly string[];
  /** As settings write it. If absent, the service's default applies. */
  readonly rate?: string;
  /** It works before this time only; absent if it has no end. */
  readonly expiresAt?: Date;
}

interface Row extends Servability {
  readonly credential_id: string | null;
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly client_id: string;
  readonly public_key_pem: string;
  readonly allowed_ranges: string[];
  readonly rate: string | null;
  readonly expires_at: Date | null;
}

const byId = {
  name: 'credential-by-id',
  text: `
  select checkpoint.fresh_at, c.*, ends.expires_at,
    -- The records contain an operator's list first, and its event follows within seconds: from then on the views have
    -- the list, unless the merchant's own stream is quarantined. Then they never read the event.
    coalesce(case when secret.ip_ranges_set_at > checkpoint.fresh_at - interval '1 minute'
        or checkpoint.quarantined > 0 and exists (
          select from quarantines q where q.merchant_id = c.merchant_id and q.scope = 'merchant')
        then secret.ip_ranges end,
      c.ip_ranges) as allowed_ranges
  from checkpoint left join credentials c on c.credential_id = $1 and c.kind = 'v4' and not c.revoked
    left join records.client_secrets secret on secret.credential_id = c.credential_id
    ${joinedEnds}
  limit 1`,
};

/**
 * The V4 credential; undefined if it does not exist or was revoked.
 * @throws DependencyUnavailable if the views were never caught up: they cannot say "unknown" then
 */
export async function findCredential(
  database: Queryable,
  id: string,
): Promise<Credential | undefined> {
  const [row] = await database.query<Row>(byId, [id]);
  const credential = requireServable(row);
  if (credential.credential_id === null) return undefined;
  return {
    credentialId: credential.credential_id,
    merchantId: credential.merchant_id,
    mode: credential.mode,
    holder: credential.holder,
    clientId: credential.client_id,
    publicKeyPem: credential.public_key_pem,
    ipRanges: credential.allowed_ranges,
    ...(credential.rate === null ? {} : { rate: credential.rate }),
    ...(credential.expires_at === null ? {} : { expiresAt: credential.expires_at }),
  };
}
