import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';
import { joinedEnds } from './credentials/ending.js';

/** The fields of a merchant, besides its credentials, that its edges need. */
export interface MerchantProfile {
  readonly merchantId: string;
  readonly name: string;
  readonly timezone: string;
  /** ISO 3166 alpha-2. */
  readonly country: string;
  /** The merchant's name in V3's checkout links; null until its first V3 credential. */
  readonly vid: string | null;
  /** Hosts to which its callbacks and its customers may be sent (`allowedUrl`). */
  readonly hosts: readonly string[];
  /** True if V3's checkout links are refused when digits could have moved into or out of the amount. */
  readonly checkoutStrict: boolean;
  /** Oldest first. */
  readonly accounts: readonly {
    readonly accountNo: string;
    readonly mode: Mode;
    readonly currency: string;
    /** The rails over which its money may move. */
    readonly channels: readonly string[];
  }[];
}

/** A credential for an operator. `name` is the name that the caller sends: client id, consumer key or key id. */
export interface ListedCredential {
  readonly credentialId: string;
  readonly kind: 'v4' | 'v3' | 'checkout';
  readonly mode: Mode | null;
  readonly holder: string;
  readonly name: string;
  readonly revoked: boolean;
  /** It works before this time only; null if it has no end. */
  readonly expiresAt: Date | null;
}

/** A credential for its merchant's own people. */
export interface OwnCredential extends ListedCredential {
  /** Null for a credential of links, which has a secret instead. */
  readonly publicKeyPem: string | null;
  /** The addresses from which it may call; null if it may call from anywhere. */
  readonly ipRanges: readonly string[] | null;
}

type Row = Servability & {
  readonly [Member in keyof MerchantProfile]: MerchantProfile[Member] | null;
};

const columns = `
  m.merchant_id as "merchantId", m.name, m.timezone, m.country, m.vid, m.hosts,
  m.checkout_strict as "checkoutStrict",
  (select coalesce(jsonb_agg(
      jsonb_build_object('accountNo', a.account_no, 'mode', a.mode, 'currency', a.currency,
        'channels', a.channels)
      order by a.position), '[]')
    from accounts a where a.merchant_id = m.merchant_id) as accounts`;

const byId = {
  name: 'merchant-by-id',
  text: `select checkpoint.fresh_at, ${columns} from checkpoint left join merchants m on m.merchant_id = $1`,
};
const byVid = {
  name: 'merchants-by-vid',
  text: `
  select checkpoint.fresh_at, ${columns}
  from unnest($1::text[]) with ordinality as asked (vid, place)
  cross join checkpoint
  left join merchants m on m.vid = asked.vid
  order by asked.place`,
};

const accountOpening = {
  name: 'account-opening',
  text: `
  select acts.recorded_at as "openedAt"
  from accounts join acts using (position) where accounts.account_no = $1`,
};

const ofCredential = {
  name: 'merchant-of-credential',
  text: `select merchant_id as "merchantId" from credentials where credential_id = $1`,
};

const names = {
  name: 'merchant-names',
  text: `select merchant_id as "merchantId", name from merchants where merchant_id = any($1)`,
};

const all = `select ${columns} from merchants m order by m.name, m.merchant_id`;

const directory = {
  name: 'merchant-directory',
  text: `
  select ${columns} from merchants m
  where ($1 = '' or m.merchant_id = $1 or strpos(lower(m.name), lower($1)) > 0
      or exists (select from accounts a where a.merchant_id = m.merchant_id and a.account_no = $1))
    and ($2 = '' or (m.name, m.merchant_id) >
      (select last.name, last.merchant_id from merchants last where last.merchant_id = $2))
  order by m.name, m.merchant_id limit $3`,
};

const listed = `
  c.credential_id as "credentialId", c.kind, c.mode, c.holder,
  coalesce(c.client_id, c.consumer_key, c.key_id) as name, c.revoked, ends.expires_at as "expiresAt"`;
const withEnds = `credentials c ${joinedEnds}`;

const credentials = `
  select ${listed}
  from ${withEnds} where c.merchant_id = $1 order by c.credential_id`;

const ownCredentials = `
  select ${listed}, c.public_key_pem as "publicKeyPem", c.ip_ranges as "ipRanges"
  from ${withEnds} where c.merchant_id = $1 and (c.mode = $2 or c.mode is null)
  order by c.revoked, c.credential_id desc limit $3`;

/** @throws DependencyUnavailable if the views were never caught up */
export async function findMerchant(
  database: Queryable,
  merchantId: string,
): Promise<MerchantProfile | undefined> {
  const [row] = await database.query<Row>(byId, [merchantId]);
  return profileOf(row);
}

/** The merchants in the order of the vids. @throws DependencyUnavailable if the views were never caught up */
export async function findMerchantsByVid(
  database: Queryable,
  vids: readonly string[],
): Promise<readonly (MerchantProfile | undefined)[]> {
  const rows = await database.query<Row>(byVid, [vids]);
  return vids.map((_vid, index) => profileOf(rows[index]));
}

function profileOf(found: Row | undefined): MerchantProfile | undefined {
  const { fresh_at: _freshAt, ...row } = requireServable(found);
  return row.merchantId === null ? undefined : (row as MerchantProfile);
}

/** Undefined if no operator opened it, so that there is no act with the time. */
export async function accountOpenedAt(
  database: Queryable,
  accountNo: string,
): Promise<Date | undefined> {
  const [row] = await database.query<{ readonly openedAt: Date }>(accountOpening, [accountNo]);
  return row?.openedAt;
}

/** The merchant of a credential, including a revoked one; undefined if it is unknown. For operators, like `merchantNames`. */
export async function merchantOfCredential(
  database: Queryable,
  credentialId: string,
): Promise<string | undefined> {
  const [row] = await database.query<Pick<MerchantProfile, 'merchantId'>>(ofCredential, [
    credentialId,
  ]);
  return row?.merchantId;
}

/** Names by id; an unknown merchant is missing. For operators, who may read views that are being built. */
export async function merchantNames(
  database: Queryable,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (merchantIds.length === 0) return new Map();
  const found = await database.query<Pick<MerchantProfile, 'merchantId' | 'name'>>(names, [
    merchantIds,
  ]);
  return new Map(found.map(({ merchantId, name }) => [merchantId, name]));
}

/** Merchants in the order of names. For operators, who may read views that are being built. */
export function listMerchants(database: Queryable): Promise<MerchantProfile[]> {
  return database.query<MerchantProfile>(all);
}

/** A page of the directory of merchants. */
export interface DirectoryPage {
  /** A part of a name, a whole id or an account number; empty for all merchants. */
  readonly text: string;
  /** The id of the last merchant of the page before; empty for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Merchants by name, in its order. For operators, who may read views that are being built. */
export function findMerchants(
  database: Queryable,
  { text, after, limit }: DirectoryPage,
): Promise<MerchantProfile[]> {
  return database.query<MerchantProfile>(directory, [text, after, limit]);
}

/** Oldest first, including revoked ones. For operators, who may read views that are being built. */
export function listCredentials(
  database: Queryable,
  merchantId: string,
): Promise<ListedCredential[]> {
  return database.query<ListedCredential>(credentials, [merchantId]);
}

/** Credentials of a mode, and those of V3, which have no mode; newest first, revoked ones last. */
export function listOwnCredentials(
  database: Queryable,
  { merchantId, mode }: { readonly merchantId: string; readonly mode: Mode },
  limit: number,
): Promise<OwnCredential[]> {
  return database.query<OwnCredential>(ownCredentials, [merchantId, mode, limit]);
}
