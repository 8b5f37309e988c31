import { type Instant, msFromInstant, ok, refuse, type Result } from '#domain/kernel';
import { personOf } from '../person.js';
import {
  type BreakGlassAnnounced,
  type BreakGlassStopped,
  type NamedPerson,
  type RoleGranted,
} from '../role.events.js';
import {
  fewestAdmins,
  issuersOf,
  mayStopAnnouncement,
  type Roles,
  usableAdmins,
} from '../roles.js';

/** The time in which admins can notice an announcement and stop it (PEO-58). */
export const breakGlassWaitMs = 24 * 3_600_000;

/**
 * `no_admins_yet`: another command grants the first two. `enough_admins`: two usable ones decide. `suspended`: the
 * announcer is suspended. `other_issuer`: no one who has a role is at the issuer of the announcer or of the new admin.
 * `admin_already`: the announced person is an admin, suspended or not. `announced_already`: only one announcement is
 * open at a time, so that one stop ends all.
 */
export type AnnounceRefusal =
  | 'no_admins_yet'
  | 'enough_admins'
  /** A typed name is no person. */
  | 'nobody'
  | 'suspended'
  | 'other_issuer'
  | 'own_role'
  | 'admin_already'
  | 'announced_already';

/**
 * If too few admins are usable, any person who has the machine and is signed in may announce a new admin. Both are at an
 * issuer of people who have a role, because the person who has the machine also chooses its OIDC_ISSUER (PEO-58).
 */
export function decideAnnounce(
  { person, name }: NamedPerson,
  proposedBy: string,
  state: Roles,
): Result<readonly BreakGlassAnnounced[], AnnounceRefusal> {
  if (!state.wasBegun) return refuse('no_admins_yet');
  if (usableAdmins(state) >= fewestAdmins) return refuse('enough_admins');
  const announcer = personOf(proposedBy);
  if (!announcer) return refuse('nobody');
  const issuers = issuersOf(state);
  if (![announcer, personOf(person)].every((one) => one && issuers.has(one.issuer)))
    return refuse('other_issuer');
  if (state.suspended.has(proposedBy)) return refuse('suspended');
  if (person === proposedBy) return refuse('own_role');
  if (mayStopAnnouncement(state, person)) return refuse('admin_already');
  if (state.announced) return refuse('announced_already');
  return ok([{ type: 'BreakGlassAnnounced', data: { person, name, proposedBy } }]);
}

export type StopRefusal = 'not_admin' | 'none_announced';

/**
 * Any admin may stop it, even one who is suspended or lost the role while suspended. Otherwise an admin who removed all
 * others would be the only one who could (PEO-59).
 */
export function decideStop(
  proposedBy: string,
  state: Roles,
): Result<readonly BreakGlassStopped[], StopRefusal> {
  if (!mayStopAnnouncement(state, proposedBy)) return refuse('not_admin');
  if (!state.announced) return refuse('none_announced');
  const { person, name } = state.announced;
  return ok([{ type: 'BreakGlassStopped', data: { person, name, proposedBy } }]);
}

/**
 * Grants the announced role once its time has come; no event before that. The wait starts again when people get a notice,
 * because a worker that did not run sent none.
 * @param toldAt the time at which people were told of it; undefined if they were not told yet
 */
export function decideBreakGlassGrant(
  { announced }: Roles,
  {
    announcedAt,
    toldAt,
    now,
  }: { readonly announcedAt: Instant; readonly toldAt: Instant | undefined; readonly now: Instant },
): readonly RoleGranted[] {
  if (!announced || toldAt === undefined) return [];
  const isDue = [announcedAt, toldAt].every(
    (since) => msFromInstant(now) - msFromInstant(since) >= breakGlassWaitMs,
  );
  return isDue ? [{ type: 'RoleGranted', data: { ...announced, role: 'admin' } }] : [];
}
