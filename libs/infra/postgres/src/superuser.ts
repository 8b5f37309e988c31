import { hasLiveRail, type Settings } from '#infra/runtime';
import { type Database } from './database.js';

// A member of a superuser's role becomes one by SET ROLE.
const mayBeSuperuser = `
  select exists (select from pg_roles where rolsuper and pg_has_role(session_user, oid, 'member')) as super`;

/**
 * Says why the process may not use the database (OPS-12): in live mode its role may not be a superuser's, which reads
 * the server's files and runs its programs.
 * @param name the setting that has the database's URL
 * @returns undefined if the role is plain, without live rail settings, if ALLOW_UNSAFE names the rule, and for the
 * server that `npm start` runs itself
 */
export async function superuserProblem(
  database: Database,
  { rails, allowUnsafe, embeddedServers }: Settings,
  name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_READ_URL' = 'DATABASE_URL',
): Promise<string | undefined> {
  const rule = 'superuser-database';
  if (!hasLiveRail(rails) || allowUnsafe.includes(rule)) return undefined;
  if (embeddedServers.includes('postgres')) return undefined;
  const [role] = await database.query<{ super: boolean }>(mayBeSuperuser);
  return role?.super
    ? `${name}: its role is a superuser, or a member of one, which live mode refuses: name a role that only owns the service’s database (ALLOW_UNSAFE=${rule} lifts this rule)`
    : undefined;
}
