import { describe, expect, it } from '@jest/globals';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import {
  DecideProposal,
  DecideProposalHandler,
  Propose,
  ProposeHandler,
  ProposalSubjects,
} from '#domain/proposals';
import { MemoryLog, ProposalsInMemory } from '#testing';
import { GrantFirstAdmins, GrantFirstAdminsHandler } from './grant/grant-first-admins.command.js';
import { AdminsInLog } from './admins-in-log.js';
import { grantRole, GrantRoleSubject, listRoleProposals } from './grant/grant-role.command.js';
import { HoldersInLog } from './holder-directory.js';
import { type HeldRole } from './permissions.js';
import { type Person, personId, personOf } from './person.js';
import { RevokeRole, RevokeRoleHandler } from './revoke/revoke-role.command.js';
import { RolesInLog } from './role-directory.js';
import { roleStream } from './role.events.js';
import { roleDecider } from './roles.js';

const issuer = 'https://id.example';
const of = (subject: string): Person => ({ issuer, subject });
const idOf = (subject: string): string => personId(of(subject));

async function begin() {
  const log = new MemoryLog();
  let made = 0;
  const pipeline = new Pipeline(log, { next: () => `id-${(made += 1)}` });
  const proposals = new ProposalsInMemory();
  proposals.openedAt = instantFromMs(0);
  const admins = new AdminsInLog(pipeline);
  const subjects = new ProposalSubjects([new GrantRoleSubject(pipeline)]);
  const metadata = (by: string): CommandMetadata & { reason: string } => ({
    correlationId: 'r',
    actor: { kind: 'operator', id: by.includes('#') ? by : idOf(by) },
    reason: 'because',
  });
  const named = (subject: string) => ({ person: idOf(subject), name: subject });
  const first = (one: string, other: string) =>
    new GrantFirstAdminsHandler(pipeline).execute(
      new GrantFirstAdmins([named(one), named(other)], metadata('#root')),
    );
  const grant = (by: string, to: string, held: HeldRole) =>
    new ProposeHandler(pipeline, subjects, proposals, admins).execute(
      new Propose(grantRole, { ...named(to), ...held }, metadata(by)),
    );
  const decide = (by: string, id: string, verdict: 'confirm' | 'decline' = 'confirm') =>
    new DecideProposalHandler(subjects, proposals, admins).execute(
      new DecideProposal(id, verdict, metadata(by)),
    );
  const revoke = (by: string, person: string, held: HeldRole) =>
    new RevokeRoleHandler(pipeline).execute(
      new RevokeRole({ person: idOf(person), held }, metadata(by)),
    );
  const propose = async (by: string, to: string, held: HeldRole): Promise<string> => {
    const done = await grant(by, to, held);
    if (!done.ok || done.value.kind !== 'proposed') throw new Error('nothing is proposed');
    return done.value.proposal.id;
  };
  await first('asha', 'joseph');
  const clock = { ms: 5000 };
  const roles = new RolesInLog(log, () => clock.ms);
  /** Suspends an admin and ends that, as if the process had died before it ended their proposals. */
  const suspendForAWhile = async (by: string, admin: string) => {
    const step = { decider: roleDecider, stream: roleStream, metadata: metadata(by) };
    const data = { ...named(admin), proposedBy: idOf(by) };
    await pipeline.appendTo(step, await pipeline.load(step), [
      { type: 'AdminSuspended', data },
      { type: 'AdminUnsuspended', data: { ...data, confirmedBy: idOf('njeri') } },
    ]);
  };
  const people = { first, grant, propose, decide, revoke, suspendForAWhile };
  return { log, proposals, ...people, roles, clock };
}

describe('people’s roles', () => {
  it('begin with two admins, once', async () => {
    const { first, roles } = await begin();
    expect(await first('wanjiru', 'njeri')).toEqual({ ok: false, refusal: 'admins_exist' });
    expect(await roles.rolesOf(of('asha'))).toEqual([{ role: 'admin' }]);
    expect(await roles.rolesOf({ issuer: 'https://other.example', subject: 'asha' })).toEqual([]);
  });

  it('wait for another admin if they move money; the event names both admins and the proposal', async () => {
    const { log, propose, decide, proposals, roles } = await begin();
    const id = await propose('asha', 'wanjiru', { role: 'finance' });
    expect(await roles.rolesOf(of('wanjiru'))).toEqual([]);
    expect(await decide('asha', id)).toEqual({ ok: false, refusal: 'same_admin' });
    expect(await decide('wanjiru', id)).toEqual({ ok: false, refusal: 'not_admin' });
    expect(await decide('joseph', id)).toMatchObject({ ok: true });
    expect(log.events.at(-1)).toMatchObject({
      type: 'RoleGranted',
      stream: 'platform-roles',
      data: { role: 'finance', proposedBy: idOf('asha'), confirmedBy: idOf('joseph') },
      metadata: { causationId: id, reason: 'because' },
    });
    expect([...proposals.ended]).toEqual([[id, 'confirmed']]);
  });

  it('are granted once if a process dies before the proposal ends, even if they were revoked since', async () => {
    const { log, propose, decide, proposals, revoke } = await begin();
    const id = await propose('asha', 'wanjiru', { role: 'finance' });
    proposals.dies = true;
    await expect(decide('joseph', id)).rejects.toThrow('died');
    proposals.dies = false;
    await revoke('asha', 'wanjiru', { role: 'finance' });
    const { length } = log.events;
    expect(await decide('joseph', id)).toMatchObject({ ok: true });
    expect(log.events).toHaveLength(length);
    expect(proposals.waiting.size).toBe(0);
  });

  it('are not granted if their proposer was suspended since, even if they act again', async () => {
    const { log, propose, decide, proposals, roles, suspendForAWhile } = await begin();
    const id = await propose('asha', 'wanjiru', { role: 'finance' });
    await suspendForAWhile('joseph', 'asha');
    const { length } = log.events;
    expect(await decide('joseph', id)).toEqual({ ok: false, refusal: 'proposer_not_admin' });
    expect(log.events).toHaveLength(length);
    proposals.openedAt = instantFromMs(Date.now() + 1000);
    const later = await propose('asha', 'wanjiru', { role: 'finance' });
    expect(await decide('joseph', later)).toMatchObject({ ok: true });
    expect(await roles.rolesOf(of('wanjiru'))).toEqual([{ role: 'finance' }]);
  });

  it('can be declined by any admin, including the proposer', async () => {
    const { log, propose, decide, proposals } = await begin();
    const { length } = log.events;
    for (const by of ['asha', 'joseph']) {
      const id = await propose('asha', 'wanjiru', { role: 'admin' });
      expect(await decide('wanjiru', id, 'decline')).toMatchObject({ refusal: 'not_admin' });
      expect(await decide(by, id, 'decline')).toMatchObject({ ok: true });
      expect(await decide('joseph', id)).toEqual({ ok: false, refusal: 'no_proposal' });
    }
    expect([...proposals.ended.values()]).toEqual(['withdrawn', 'declined']);
    expect(log.events).toHaveLength(length);
  });

  it('wait one by one: a proposal replaces only one of the same role of the same person', async () => {
    const { proposals, propose } = await begin();
    const [first, admin, second] = [
      await propose('asha', 'wanjiru', { role: 'finance' }),
      await propose('asha', 'wanjiru', { role: 'admin' }),
      await propose('joseph', 'wanjiru', { role: 'finance' }),
    ];
    expect([...proposals.ended]).toEqual([[first, 'replaced']]);
    const listed = await listRoleProposals(proposals);
    expect(listed.map(({ id, terms }) => [id, terms.role])).toEqual([
      [admin, 'admin'],
      [second, 'finance'],
    ]);
  });

  it('cannot be decided by the person whom they are about', async () => {
    const { log, propose, decide, proposals, grant } = await begin();
    const { length } = log.events;
    const id = await propose('asha', 'joseph', { role: 'finance' });
    expect(await decide('joseph', id)).toEqual({ ok: false, refusal: 'refused:own_role' });
    expect(await grant('asha', 'asha', { role: 'finance' })).toEqual({
      ok: false,
      refusal: 'own_role',
    });
    expect([log.events.length, proposals.taken.size]).toEqual([length, 0]);
  });

  it('need a registered merchant if they are at a merchant', async () => {
    const { log, grant } = await begin();
    const held = { role: 'developer', merchantId: 'm1' } as const;
    expect(await grant('asha', 'njeri', held)).toEqual({ ok: false, refusal: 'unknown_merchant' });
    const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: 'a' } } as const;
    const event = { type: 'MerchantRegistered', data: {} };
    await log.append('merchant-m1', 'no_stream', [{ id: 'x', event, metadata }]);
    expect(await grant('asha', 'njeri', held)).toEqual({ ok: true, value: { kind: 'done' } });
  });
});

describe('an actor in an event', () => {
  it('is a person if it names the subject of an issuer; a holder of credentials is not', () => {
    const person = { issuer: 'https://id.example/realms/a', subject: '00u#1 é' };
    expect(personOf(personId(person))).toEqual(person);
    for (const name of ['asha', 'till #2', 'a#b', 'urn:x#y', 'https://id.example#', '#asha'])
      expect(personOf(name)).toBeUndefined();
  });
});

describe('the name under which a person decides at a merchant', () => {
  it('is the holder bound to them there, or else their own id', async () => {
    const log = new MemoryLog();
    const holders = new HoldersInLog(log);
    const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: 'a' } } as const;
    const events = [
      { type: 'MerchantRegistered', data: { merchantId: 'm1' } },
      { type: 'HolderBound', data: { holder: 'till', system: 'point of sale' } },
      { type: 'HolderBound', data: { holder: 'maker', person: idOf('asha') } },
    ];
    const added = events.map((event, index) => ({ id: `e-${index}`, event, metadata }));
    await log.append('merchant-m1', 'no_stream', added);
    expect(await holders.holderOf(of('asha'), 'm1')).toBe('maker');
    expect(await holders.holderOf(of('joseph'), 'm1')).toBe(idOf('joseph'));
    expect(await holders.holderOf(of('asha'), 'm2')).toBe(idOf('asha'));
    expect(await holders.holdersOf('m1')).toEqual(events.slice(1).map(({ data }) => data));
  });
});

describe('the directory', () => {
  it('reads nothing for a second and then only new events, so that a revocation takes effect within it', async () => {
    const { log, grant, revoke, roles, clock } = await begin();
    await grant('asha', 'wanjiru', { role: 'viewer' });
    const before = log.reads;
    expect(await roles.rolesOf(of('wanjiru'))).toEqual([{ role: 'viewer' }]);
    clock.ms += 999;
    await roles.rolesOf(of('wanjiru'));
    expect(log.reads).toBe(before + 1);
    await revoke('joseph', 'wanjiru', { role: 'viewer' });
    clock.ms += 1;
    expect(await roles.rolesOf(of('wanjiru'))).toEqual([]);
  });

  it('reads the log once for any number of simultaneous questions', async () => {
    const { log, roles } = await begin();
    const before = log.reads;
    await Promise.all(Array.from({ length: 50 }, () => roles.rolesOf(of('asha'))));
    expect(log.reads).toBe(before + 1);
  });

  it('fails while the log cannot be read, and answers again when it can', async () => {
    const { log, roles } = await begin();
    log.readStream = () => Promise.reject(new Error('away'));
    await expect(roles.rolesOf(of('asha'))).rejects.toThrow('away');
    Reflect.deleteProperty(log, 'readStream');
    expect(await roles.rolesOf(of('asha'))).toEqual([{ role: 'admin' }]);
  });

  it('reports to auditors who had which role, as of a position and as of an instant', async () => {
    const { log, grant, revoke, roles } = await begin();
    await grant('asha', 'wanjiru', { role: 'viewer' });
    const [{ position, recordedAt }] = log.events.slice(-1) as [(typeof log.events)[0]];
    await revoke('joseph', 'wanjiru', { role: 'viewer' });
    const last = log.events.at(-1);
    if (last) Object.assign(last, { recordedAt: instantFromMs(Date.parse(recordedAt) + 5) });
    const viewer = { person: idOf('wanjiru'), role: 'viewer', grantedAt: recordedAt };
    const had = expect.arrayContaining([expect.objectContaining(viewer)]);
    expect(await roles.rolesAt({ position })).toEqual(had);
    expect(await roles.rolesAt({ instant: recordedAt })).toEqual(had);
    expect((await roles.rolesAt('now')).map(({ role }) => role)).toEqual(['admin', 'admin']);
    expect(await roles.rolesAt({ position: 0n })).toEqual([]);
  });
});
