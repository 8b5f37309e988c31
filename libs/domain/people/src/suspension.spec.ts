import { describe, expect, it } from '@jest/globals';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { givenFor, MemoryLog, stateOf } from '#testing';
import { AdminsInLog } from './admins-in-log.js';
import {
  AnnounceBreakGlass,
  AnnounceBreakGlassHandler,
} from './break-glass/announce-break-glass.command.js';
import { breakGlassWaitMs, decideAnnounce, decideStop } from './break-glass/break-glass.decide.js';
import { type BreakGlassTimes, grantAnnounced } from './break-glass/grant-announced.js';
import { StopBreakGlass, StopBreakGlassHandler } from './break-glass/stop-break-glass.command.js';
import {
  EndSessions,
  EndSessionsHandler,
  mayEndSessions,
} from './sessions/end-sessions.command.js';
import { PersonSessions } from './sessions/person-sessions.js';
import { personOf } from './person.js';
import { RolesInLog } from './role-directory.js';
import { type RoleEvent, roleStream, type RoleTerms } from './role.events.js';
import { roleDecider, type Roles, usableAdmins } from './roles.js';
import { decideGrant, decideRevoke } from './roles.decide.js';
import { isStillPermitted } from './still-permitted.js';
import { SuspendAdmin, SuspendAdminHandler } from './suspend/suspend-admin.command.js';
import { decideSuspend, decideUnsuspend } from './suspend/suspension.decide.js';

const id = (who: string): string => `https://id.example#${who}`;
const [asha, joseph, wanjiru, njeri, outsider] = [
  ...['asha', 'joseph', 'wanjiru', 'njeri', 'outsider'].map(id),
] as [string, string, string, string, string];
const terms = (person: string, role: 'admin' | 'support' = 'admin'): RoleTerms => ({
  person,
  name: 'N',
  role,
});
const granted = (person: string): RoleEvent => ({
  type: 'RoleGranted',
  data: { ...terms(person), proposedBy: 'root' },
});
const suspended = (person: string, proposedBy: string): RoleEvent => ({
  type: 'AdminSuspended',
  data: { person, name: 'N', proposedBy },
});
const announced = (person: string, proposedBy: string): RoleEvent => ({
  type: 'BreakGlassAnnounced',
  data: { person, name: 'N', proposedBy },
});
const two = [granted(asha), granted(joseph)];
const three = [...two, granted(wanjiru)];
const both = ['reviews.decide', 'reviews.decide'] as const;

describe('an admin is suspended', () => {
  const given = givenFor(
    roleDecider,
    (of: { readonly person: string; readonly by: string }, state: Roles) =>
      decideSuspend(of.person, of.by, state),
  );

  it('by one other admin, also the last other one', () => {
    given(...two)
      .when({ person: joseph, by: asha })
      .then([suspended(joseph, asha)]);
  });

  it('only by another admin who is not suspended', () => {
    given(...two)
      .when({ person: joseph, by: outsider })
      .then('not_admin');
    given(...two)
      .when({ person: asha, by: asha })
      .then('own_role');
    given(...two, suspended(joseph, asha))
      .when({ person: asha, by: joseph })
      .then('not_admin');
    given(...two)
      .when({ person: outsider, by: asha })
      .then('not_an_admin');
    given(...three, suspended(joseph, asha))
      .when({ person: joseph, by: wanjiru })
      .then([]);
  });

  it('and then grants, confirms and revokes nothing, and gets no further role', () => {
    const state = stateOf(roleDecider, [...three, suspended(joseph, asha)]);
    const grant = (person: string, proposedBy: string, confirmedBy: string) =>
      decideGrant(terms(person), { proposedBy, confirmedBy }, state);
    expect(grant(njeri, joseph, asha)).toMatchObject({ refusal: 'proposer_not_admin' });
    expect(grant(njeri, asha, joseph)).toMatchObject({ refusal: 'not_admin' });
    expect(grant(joseph, asha, wanjiru)).toEqual({ ok: true, value: [] });
    expect(decideGrant(terms(joseph, 'support'), { proposedBy: asha }, state)).toMatchObject({
      refusal: 'suspended',
    });
    const revoked = { person: wanjiru, held: { role: 'admin' } } as const;
    expect(decideRevoke(revoked, joseph, state)).toMatchObject({ refusal: 'not_admin' });
  });

  it('and keeps the role while fewer than two others can act, so that the last admin removes no one', () => {
    const revoke = (person: string, ...events: RoleEvent[]) =>
      decideRevoke({ person, held: { role: 'admin' } }, asha, stateOf(roleDecider, events));
    expect(revoke(joseph, ...two, suspended(joseph, asha))).toMatchObject({
      refusal: 'last_admins',
    });
    expect(revoke(joseph, ...three, suspended(joseph, asha))).toMatchObject({ ok: true });
    expect(revoke(wanjiru, ...three, suspended(joseph, asha))).toMatchObject({
      refusal: 'last_admins',
    });
  });

  it('and acts again if two other usable admins agree', () => {
    const unsuspend = givenFor(
      roleDecider,
      (by: { readonly proposedBy: string; readonly confirmedBy?: string }, state: Roles) =>
        decideUnsuspend(joseph, by, state),
    );
    const history = [...three, suspended(joseph, asha)];
    const both = { proposedBy: asha, confirmedBy: wanjiru };
    unsuspend(...history)
      .when(both)
      .then([{ type: 'AdminUnsuspended', data: { person: joseph, name: 'N', ...both } }]);
    const unlike = [
      [{ proposedBy: asha }, 'second_admin_needed'],
      [{ proposedBy: asha, confirmedBy: asha }, 'same_admin'],
      [{ proposedBy: asha, confirmedBy: joseph }, 'not_admin'],
      [{ proposedBy: joseph, confirmedBy: asha }, 'own_role'],
      [{ proposedBy: outsider, confirmedBy: asha }, 'proposer_not_admin'],
    ] as const;
    for (const [by, refusal] of unlike)
      unsuspend(...history)
        .when(by)
        .then(refusal);
    unsuspend(...three)
      .when(both)
      .then('not_suspended');
  });
});

describe('a new admin is announced', () => {
  const given = givenFor(
    roleDecider,
    (of: { readonly person: string; readonly by: string }, state: Roles) =>
      decideAnnounce({ person: of.person, name: 'N' }, of.by, state),
  );
  const one = [...two, suspended(joseph, asha)];

  it('if fewer than two admins can act, by a person with access to the machine who gives their name', () => {
    given(...one)
      .when({ person: njeri, by: outsider })
      .then([announced(njeri, outsider)]);
    given(...two)
      .when({ person: njeri, by: asha })
      .then('enough_admins');
    given().when({ person: njeri, by: outsider }).then('no_admins_yet');
    given(...one)
      .when({ person: njeri, by: 'root' })
      .then('nobody');
    given(...one)
      .when({ person: njeri, by: joseph })
      .then('suspended');
    given(...one)
      .when({ person: njeri, by: njeri })
      .then('own_role');
    given(...one)
      .when({ person: joseph, by: asha })
      .then('admin_already');
    given(...one, announced(njeri, asha))
      .when({ person: wanjiru, by: asha })
      .then('announced_already');
  });

  it('only from an issuer of current role holders, because the machine’s owner sets OIDC_ISSUER', () => {
    const ofOwnIssuer = (who: string): string => `https://attacker.example#${who}`;
    const left: RoleEvent = {
      type: 'RoleRevoked',
      data: { ...terms(ofOwnIssuer('old'), 'support'), proposedBy: asha },
    };
    const atOther: RoleEvent = {
      type: 'RoleGranted',
      data: { ...terms(ofOwnIssuer('old'), 'support'), proposedBy: asha },
    };
    const both = [
      { person: njeri, by: ofOwnIssuer('me') },
      { person: ofOwnIssuer('me'), by: outsider },
    ];
    for (const of of both) {
      given(...one)
        .when(of)
        .then('other_issuer');
      given(...one, atOther, left)
        .when(of)
        .then('other_issuer');
    }
    given(...one, atOther)
      .when({ person: njeri, by: ofOwnIssuer('me') })
      .then([announced(njeri, ofOwnIssuer('me'))]);
  });

  it('and can be stopped by any admin, even a suspended one, and by no one else', () => {
    const state = stateOf(roleDecider, [...one, announced(njeri, outsider)]);
    for (const by of [asha, joseph]) expect(decideStop(by, state)).toMatchObject({ ok: true });
    for (const by of [njeri, outsider])
      expect(decideStop(by, state)).toMatchObject({ refusal: 'not_admin' });
    expect(decideStop(asha, stateOf(roleDecider, one))).toMatchObject({
      refusal: 'none_announced',
    });
  });

  it('and can be stopped by an admin who lost the role while suspended, and who keeps the sessions for that', () => {
    const revoked = { type: 'RoleRevoked', data: { ...terms(joseph), proposedBy: asha } } as const;
    const removed = [...three, suspended(joseph, asha), revoked, suspended(wanjiru, asha)];
    const state = stateOf(roleDecider, [...removed, announced(njeri, asha)]);
    expect(decideStop(joseph, state)).toMatchObject({ ok: true });
    expect(mayEndSessions(joseph, asha, state)).toBe(false);
    expect(decideAnnounce({ person: joseph, name: 'N' }, asha, state)).toMatchObject({
      refusal: 'admin_already',
    });
  });

  it('and can be stopped by one whose role the last admin revoked, but by no other former admin', () => {
    const revoke = (person: string, proposedBy: string): RoleEvent => ({
      type: 'RoleRevoked',
      data: { ...terms(person), proposedBy },
    });
    const left = [...three, revoke(wanjiru, asha), suspended(joseph, asha)];
    const byAsha = stateOf(roleDecider, [...left, announced(njeri, asha)]);
    expect(decideStop(wanjiru, byAsha)).toMatchObject({ ok: true });
    expect(mayEndSessions(wanjiru, asha, byAsha)).toBe(false);
    // The announcer may be another account of that admin.
    const byOther = stateOf(roleDecider, [...left, announced(njeri, outsider)]);
    expect(decideStop(wanjiru, byOther)).toMatchObject({ ok: true });
    const removedByJoseph = [...three, revoke(wanjiru, joseph), suspended(joseph, asha)];
    const other = stateOf(roleDecider, [...removedByJoseph, announced(njeri, outsider)]);
    expect(decideStop(wanjiru, other)).toMatchObject({ refusal: 'not_admin' });
  });

  it('and has no effect once two admins can act or the announcer is suspended', () => {
    const open = (...events: RoleEvent[]) => stateOf(roleDecider, events).announced !== undefined;
    expect(open(...one, announced(njeri, asha))).toBe(true);
    const unsuspended: RoleEvent = {
      type: 'AdminUnsuspended',
      data: { person: joseph, name: 'N', proposedBy: asha, confirmedBy: wanjiru },
    };
    expect(open(...one, announced(njeri, asha), unsuspended)).toBe(false);
    const byJoseph = [...one.slice(0, 2), granted(wanjiru), suspended(asha, wanjiru)];
    const rogue = [...byJoseph, suspended(joseph, wanjiru), announced(njeri, outsider)];
    expect(open(...rogue)).toBe(true);
  });
});

class EndedSessions extends PersonSessions {
  readonly ended: string[] = [];
  override endAllOf(person: string): Promise<void> {
    this.ended.push(person);
    return Promise.resolve();
  }
  override endOneOf(person: string, hash: Buffer): Promise<void> {
    this.ended.push(`${person} ${hash.toString()}`);
    return Promise.resolve();
  }
}

/** The times of a worker that tells people of an announcement at once, unless `toldAt` is replaced. */
class TimeOf implements BreakGlassTimes {
  aheadMs = 0;
  now = (): Promise<Instant> => Promise.resolve(instantFromMs(Date.now() + this.aheadMs));
  toldAt: BreakGlassTimes['toldAt'] = ({ announcedAt }) => Promise.resolve(announcedAt);
}

/** A log with two admins. */
async function begin() {
  const [log, sessions, clock] = [new MemoryLog(), new EndedSessions(), new TimeOf()];
  let made = 0;
  const pipeline = new Pipeline(log, { next: () => `id-${(made += 1)}` });
  const metadata = (by: string): CommandMetadata & { readonly reason: string } => ({
    correlationId: 'r',
    actor: { kind: 'operator', id: by },
    reason: 'because',
  });
  const endedBy: string[] = [];
  const proposals = {
    endAllBy: (by: string) => Promise.resolve(void endedBy.push(by)),
  } as never;
  const suspend = (by: string, person: string) =>
    new SuspendAdminHandler(pipeline, sessions, proposals).execute(
      new SuspendAdmin(person, metadata(by)),
    );
  const announce = (by: string, person: string) =>
    new AnnounceBreakGlassHandler(pipeline).execute(
      new AnnounceBreakGlass({ person, name: 'N' }, metadata(by)),
    );
  const endSessions = (by: string, person: string, session: Buffer | 'all' = 'all') =>
    new EndSessionsHandler(pipeline, sessions).execute(
      new EndSessions(person, session, metadata(by)),
    );
  const stop = (by: string) =>
    new StopBreakGlassHandler(pipeline).execute(new StopBreakGlass(metadata(by)));
  const step = { decider: roleDecider, stream: roleStream, metadata: metadata('root') };
  await pipeline.begin(step, two);
  const roles = new RolesInLog(log, () => NaN);
  const isAdmin = async (person: string): Promise<boolean> => {
    const found = personOf(person);
    return found !== undefined && (await roles.rolesOf(found)).length > 0;
  };
  const acts = { suspend, announce, stop, endSessions };
  return { log, pipeline, sessions, endedBy, clock, roles, isAdmin, ...acts };
}

describe('a suspension', () => {
  it('ends roles, sessions and proposals at once', async () => {
    const { suspend, isAdmin, sessions, endedBy, pipeline, roles } = await begin();
    const proposedAt = instantFromMs(Date.now());
    expect(await suspend(asha, joseph)).toMatchObject({ ok: true });
    expect([await isAdmin(asha), await isAdmin(joseph)]).toEqual([true, false]);
    expect([sessions.ended, endedBy]).toEqual([[joseph], [joseph]]);
    const permitted = (action: 'reviews.decide') =>
      isStillPermitted(pipeline, [action, action], {
        mode: 'live',
        proposedBy: joseph,
        confirmedBy: asha,
        proposedAt,
      });
    expect(await permitted('reviews.decide')).toBe(false);
    // A command that began before the suspension confirms nothing after it.
    const byJoseph = { mode: 'live', proposedBy: asha, confirmedBy: joseph, proposedAt } as const;
    expect(await isStillPermitted(pipeline, both, byJoseph)).toBe(false);
    expect((await roles.rolesAt('now')).map((each) => each.isSuspended)).toEqual([false, true]);
    // After a crash it is repeated.
    expect(await suspend(asha, joseph)).toMatchObject({ ok: true });
    expect(sessions.ended).toEqual([joseph, joseph]);
  });

  it('takes effect only once if two admins suspend each other at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { suspend, log } = await begin();
      const done = await Promise.all([suspend(asha, joseph), suspend(joseph, asha)]);
      expect(done.filter(({ ok }) => ok)).toHaveLength(1);
      const events = await log.readStream<RoleEvent>(roleStream);
      expect(usableAdmins(stateOf(roleDecider, events))).toBe(1);
    }
  });

  it('permanently ends what was proposed before it', async () => {
    const { suspend, pipeline, log } = await begin();
    const proposedAt = instantFromMs(Date.now() - 1000);
    await suspend(asha, joseph);
    const step = { decider: roleDecider, stream: roleStream };
    const before = await pipeline.load(step);
    const data = { person: joseph, name: 'N', proposedBy: asha, confirmedBy: wanjiru };
    const metadata = { correlationId: 'r', actor: { kind: 'operator', id: asha } } as const;
    await pipeline.appendTo({ ...step, metadata }, before, [{ type: 'AdminUnsuspended', data }]);
    const permitted = (at: typeof proposedAt) =>
      isStillPermitted(pipeline, both, {
        mode: 'live',
        proposedBy: joseph,
        confirmedBy: asha,
        proposedAt: at,
      });
    expect(await permitted(proposedAt)).toBe(false);
    const later = (await log.readStream(roleStream)).at(-1)?.recordedAt ?? proposedAt;
    const after = instantFromMs(Date.parse(later) + 1000);
    expect(await permitted(after)).toBe(true);
    // A change that takes two admins asks in this way.
    const admins = new AdminsInLog(pipeline);
    expect(await admins.standingOf(joseph)).toBe('admin');
    expect(await admins.wasSuspendedSince(joseph, proposedAt)).toBe(true);
    expect(await admins.wasSuspendedSince(joseph, after)).toBe(false);
    expect(await admins.wasSuspendedSince(asha, proposedAt)).toBe(false);
  });
});

describe('a typed name', () => {
  it('may complete its own proposals only until the first role, and never in live mode', async () => {
    const log = new MemoryLog();
    let made = 0;
    const pipeline = new Pipeline(log, { next: () => `id-${(made += 1)}` });
    const permitted = (mode: Mode = 'demo') =>
      isStillPermitted(pipeline, both, {
        mode,
        proposedBy: 'amina',
        confirmedBy: 'joseph',
        proposedAt: instantFromMs(Date.now()),
      });
    expect(await permitted()).toBe(true);
    expect(await permitted('live')).toBe(false);
    const metadata = { correlationId: 'r', actor: { kind: 'operator', id: 'root' } } as const;
    await pipeline.begin({ decider: roleDecider, stream: roleStream, metadata }, two);
    expect(await permitted()).toBe(false);
  });
});

describe('break-glass', () => {
  it('is stopped by an admin whose sessions the announcer would end as they begin', async () => {
    const { suspend, announce, endSessions, stop, sessions } = await begin();
    const one = Buffer.from('one');
    await endSessions(asha, joseph, one);
    await suspend(asha, joseph);
    expect(sessions.ended).toEqual([`${joseph} one`, joseph]);
    await announce(asha, wanjiru);
    const refused = { ok: false, refusal: 'new_admin_announced' };
    expect(await endSessions(asha, joseph)).toEqual(refused);
    expect(await endSessions(asha, joseph, one)).toEqual(refused);
    await suspend(asha, joseph);
    expect(sessions.ended).toHaveLength(2);
    // Their own, and those of people who could not stop it, end as always.
    await endSessions(joseph, joseph, one);
    await endSessions(asha, wanjiru);
    expect(sessions.ended.slice(2)).toEqual([`${joseph} one`, wanjiru]);
    expect(await stop(joseph)).toMatchObject({ ok: true });
    await endSessions(asha, joseph);
    expect(sessions.ended.at(-1)).toBe(joseph);
  });

  it('makes an admin 24 hours after it was announced, once, and not before', async () => {
    const { suspend, announce, isAdmin, pipeline, clock, roles, log } = await begin();
    await suspend(asha, joseph);
    expect(await announce(outsider, njeri)).toMatchObject({ ok: true });
    expect(await roles.breakGlass()).toMatchObject({ person: njeri, proposedBy: outsider });
    clock.aheadMs = breakGlassWaitMs - 60_000;
    await grantAnnounced(pipeline, clock);
    expect(await isAdmin(njeri)).toBe(false);
    clock.aheadMs = breakGlassWaitMs + 1000;
    await Promise.all([grantAnnounced(pipeline, clock), grantAnnounced(pipeline, clock)]);
    await grantAnnounced(pipeline, clock);
    expect(await isAdmin(njeri)).toBe(true);
    expect(await roles.breakGlass()).toBeUndefined();
    expect(log.events.filter(({ type }) => type === 'RoleGranted')).toHaveLength(3);
  });

  it('makes no admin before people were told of it for 24 hours, however old it is', async () => {
    const { suspend, announce, isAdmin, pipeline, clock } = await begin();
    await suspend(asha, joseph);
    await announce(outsider, njeri);
    clock.aheadMs = breakGlassWaitMs * 2;
    clock.toldAt = () => Promise.resolve(undefined);
    await grantAnnounced(pipeline, clock);
    expect(await isAdmin(njeri)).toBe(false);
    const toldAt = await clock.now();
    clock.toldAt = () => Promise.resolve(toldAt);
    clock.aheadMs += breakGlassWaitMs - 60_000;
    await grantAnnounced(pipeline, clock);
    expect(await isAdmin(njeri)).toBe(false);
    clock.aheadMs += 61_000;
    await grantAnnounced(pipeline, clock);
    expect(await isAdmin(njeri)).toBe(true);
  });

  it('by an admin who suspended all others is stopped by one of them', async () => {
    const { suspend, announce, stop, isAdmin, pipeline, clock } = await begin();
    await suspend(asha, joseph);
    await announce(asha, njeri);
    expect(await stop(outsider)).toEqual({ ok: false, refusal: 'not_admin' });
    expect(await stop(joseph)).toMatchObject({ ok: true });
    clock.aheadMs = breakGlassWaitMs * 2;
    expect(await grantAnnounced(pipeline, clock)).toBeUndefined();
    expect(await isAdmin(njeri)).toBe(false);
    expect(await stop(joseph)).toEqual({ ok: false, refusal: 'none_announced' });
  });
});
