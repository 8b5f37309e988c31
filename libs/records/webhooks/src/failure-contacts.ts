import { type MerchantMode, type WebhookEndpointKey, type WebhookKind } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';

/*
 * The address of a merchant's own people for each endpoint, to which failures are sent (POR-107). It is contact data:
 * it is never part of an event, a notice's row or a log line. Each function throws DependencyUnavailable.
 */

const contactsOf = {
  name: 'failure-contacts',
  text: `select kind, email from records.failure_contacts where merchant_id = $1 and mode = $2`,
};
const set = `
  insert into records.failure_contacts (merchant_id, mode, kind, email, person) values ($1, $2, $3, $4, $5)
  on conflict (merchant_id, mode, kind) do update
    set email = excluded.email, person = excluded.person, changed_at = records.now_()
    where failure_contacts.email <> excluded.email`;
const remove = `
  delete from records.failure_contacts where merchant_id = $1 and mode = $2 and kind = $3`;

/** The addresses of a merchant's endpoints in a mode. An endpoint without an address is absent. */
export async function listFailureContacts(
  database: Queryable,
  { merchantId, mode }: MerchantMode,
): Promise<ReadonlyMap<WebhookKind, string>> {
  const rows = await database.query<{ kind: WebhookKind; email: string }>(contactsOf, [
    merchantId,
    mode,
  ]);
  return new Map(rows.map(({ kind, email }) => [kind, email]));
}

/**
 * Sets or removes the address of an endpoint.
 * @param email a checked address; undefined to remove it
 * @param person as events name people
 */
export async function setFailureContact(
  database: Queryable,
  { merchantId, mode, kind }: WebhookEndpointKey,
  email: string | undefined,
  person: string,
): Promise<void> {
  const endpoint = [merchantId, mode, kind];
  if (email === undefined) await database.query(remove, endpoint);
  else await database.query(set, [...endpoint, email, person]);
}
