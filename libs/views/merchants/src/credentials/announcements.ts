import { type Queryable } from '#infra/postgres';

/** The channel on which the id of a credential, or of a merchant, is announced whenever what is known of it has changed. */
export const credentialsChannel = 'credentials';

const announce = `select pg_notify($1, $2)`;

/** Tells all processes to forget what they keep of a credential or merchant, when the caller's transaction commits. */
export async function announceCredential(database: Queryable, id: string): Promise<void> {
  await database.query(announce, [credentialsChannel, id]);
}
