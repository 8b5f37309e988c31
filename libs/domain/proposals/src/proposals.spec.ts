import { describe, expect, it } from '@jest/globals';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Instant, ok, refuse, type Result } from '#domain/kernel';
import { MemoryLog, ProposalsInMemory } from '#testing';
import { Admins, type Standing } from './admins.js';
import { type Decided, type DecidedRefusal, mayDecide } from './decided.js';
import { DecideProposal, DecideProposalHandler } from './decide-proposal.command.js';
import { type Json } from './proposal.js';
import { Propose, ProposeHandler } from './propose.command.js';
import { type Change, ProposalSubject, ProposalSubjects, type WeighedChange } from './subject.js';

const at = '2026-01-01T00:00:00.000Z' as Instant;

class SomeAdmins extends Admins {
  admins = new Set(['asha', 'joseph', 'asha of before']);
  override standingOf = (by: string): Promise<Standing> =>
    Promise.resolve(
      this.admins.size === 0 ? 'no_roles' : this.admins.has(by) ? 'admin' : 'no_admin',
    );
  readonly suspendedAt = new Map<string, Instant>();
  override wasSuspendedSince = (person: string, since: Instant) =>
    Promise.resolve((this.suspendedAt.get(person) ?? '') >= since);
  override areTwo = (one: string, other: string) => !one.startsWith(other);
}

interface Limit {
  readonly to: number;
}

/** A limit that two admins raise. */
class Limits extends ProposalSubject<Limit, { readonly now: number }, 'too_much'> {
  override readonly change: Change<Limit, { readonly now: number }, 'too_much'> = {
    kind: 'credential',
  };
  now = 10;
  readonly decided: Decided[] = [];
  dies = false;

  override write = ({ to }: Limit): Json => ({ to });
  override read = (written: Json) => written as unknown as Limit;
  override weigh({ to }: Limit): Promise<Result<WeighedChange, 'too_much'>> {
    const weighed = { needsTwo: to > this.now, seen: String(this.now), about: 'limit' };
    return Promise.resolve(to > 99 ? refuse('too_much') : ok(weighed));
  }
  override describe = ({ to }: Limit, before: string) => [
    { field: 'rate' as const, value: String(to), before },
  ];
  override carryOut(
    { to }: Limit,
    decided: Decided,
  ): Promise<Result<{ readonly now: number }, 'too_much' | DecidedRefusal>> {
    if (this.dies) return Promise.reject(new Error('died'));
    const may = mayDecide(decided, { needsTwo: to > this.now, seen: String(this.now) });
    if (!may.ok) return Promise.resolve(may);
    this.now = to;
    this.decided.push(decided);
    return Promise.resolve(ok({ now: to }));
  }
}

function begin() {
  const [limits, proposals, admins] = [new Limits(), new ProposalsInMemory(), new SomeAdmins()];
  let made = 0;
  const pipeline = new Pipeline(new MemoryLog(), { next: () => `id-${(made += 1)}` });
  const subjects = new ProposalSubjects([limits]);
  const metadata = (id: string): CommandMetadata & { reason: string } => ({
    correlationId: 'r',
    actor: { kind: 'operator', id },
    reason: 'because',
  });
  const propose = (by: string, to: number) =>
    new ProposeHandler(pipeline, subjects, proposals, admins).execute(
      new Propose(limits.change, { to }, metadata(by)),
    );
  const proposed = async (by: string, to: number): Promise<string> => {
    const done = await propose(by, to);
    if (!done.ok || done.value.kind !== 'proposed') throw new Error('nothing is proposed');
    return done.value.proposal.id;
  };
  const decide = (by: string, id: string, verdict: 'confirm' | 'decline' = 'confirm') =>
    new DecideProposalHandler(subjects, proposals, admins).execute(
      new DecideProposal(id, verdict, metadata(by)),
    );
  return { limits, proposals, admins, subjects, propose, proposed, decide };
}

describe('a change that takes two admins', () => {
  it('waits for another, who confirms exactly what was proposed', async () => {
    const { limits, subjects, proposals, proposed, decide } = begin();
    const id = await proposed('asha', 20);
    expect(limits.now).toBe(10);
    const [waiting] = [...proposals.waiting.values()];
    expect(waiting && subjects.describe(waiting)).toEqual([
      { field: 'rate', value: '20', before: '10' },
    ]);
    expect(await decide('asha', id)).toEqual({ ok: false, refusal: 'same_admin' });
    expect(await decide('wanjiru', id)).toEqual({ ok: false, refusal: 'not_admin' });
    expect(await decide('joseph', id)).toEqual({
      ok: true,
      value: { kind: 'credential', value: { now: 20 } },
    });
    expect(limits.decided).toEqual([
      { by: 'two', proposalId: id, seen: '10', proposedBy: 'asha', confirmedBy: 'joseph' },
    ]);
    expect(await decide('joseph', id)).toEqual({ ok: true, value: {} });
    expect(limits.decided).toHaveLength(1);
  });

  it('can be proposed only by an admin; a narrowing change is done at once by any permitted person', async () => {
    const { limits, propose } = begin();
    expect(await propose('wanjiru', 20)).toEqual({ ok: false, refusal: 'not_admin' });
    expect(await propose('asha', 100)).toEqual({ ok: false, refusal: 'too_much' });
    expect(await propose('wanjiru', 5)).toEqual({
      ok: true,
      value: { kind: 'done', value: { now: 5 } },
    });
    expect(limits.decided).toEqual([{ by: 'one' }]);
  });

  it('is refused if what it replaces changed meanwhile, and can still be declined', async () => {
    const { limits, propose, proposed, decide } = begin();
    const id = await proposed('asha', 20);
    await propose('joseph', 5);
    expect(await decide('joseph', id)).toEqual({ ok: false, refusal: 'changed' });
    expect(limits.now).toBe(5);
    expect(await decide('joseph', id, 'decline')).toMatchObject({ ok: true });
  });

  it('needs both to be admins when it takes effect, and to be two', async () => {
    const { admins, proposed, decide, limits } = begin();
    const id = await proposed('asha of before', 20);
    expect(await decide('asha', id)).toEqual({ ok: false, refusal: 'proposer_not_admin' });
    admins.admins.delete('asha of before');
    expect(await decide('joseph', id)).toEqual({ ok: false, refusal: 'proposer_not_admin' });
    expect(limits.now).toBe(10);
  });

  it('is not confirmed if its proposer was suspended since, even if they act again', async () => {
    const { admins, proposals, proposed, decide, limits } = begin();
    const id = await proposed('asha', 20);
    admins.suspendedAt.set('asha', at);
    expect(await decide('joseph', id)).toEqual({ ok: false, refusal: 'proposer_not_admin' });
    expect([limits.now, proposals.taken.size]).toEqual([10, 0]);
    admins.suspendedAt.set('asha', '2025-12-31T23:59:59.999Z' as Instant);
    expect(await decide('joseph', id)).toMatchObject({ ok: true });
    expect(limits.now).toBe(20);
  });

  it('is declined by another admin, withdrawn by its proposer, and replaced by the next one', async () => {
    const { proposals, proposed, decide } = begin();
    const [first, second] = [await proposed('asha', 20), await proposed('joseph', 30)];
    expect(await decide('wanjiru', second, 'decline')).toMatchObject({ refusal: 'not_admin' });
    await decide('joseph', second, 'decline');
    const third = await proposed('asha', 40);
    await decide('joseph', third, 'decline');
    expect([...proposals.ended]).toEqual([
      [first, 'replaced'],
      [second, 'withdrawn'],
      [third, 'declined'],
    ]);
    expect(await decide('joseph', third)).toEqual({ ok: false, refusal: 'no_proposal' });
  });

  it('is neither declined nor confirmed by another while it is confirmed, and its admin repeats it', async () => {
    const { admins, limits, proposed, decide } = begin();
    admins.admins.add('njeri');
    const id = await proposed('asha', 20);
    limits.dies = true;
    await expect(decide('joseph', id)).rejects.toThrow('died');
    limits.dies = false;
    expect(await decide('njeri', id)).toEqual({ ok: false, refusal: 'taken' });
    expect(await decide('asha', id, 'decline')).toEqual({ ok: false, refusal: 'taken' });
    expect(await decide('joseph', id)).toMatchObject({ ok: true });
    expect(limits.now).toBe(20);
  });

  it('is refused on a log that never had a role, and what takes one person is done', async () => {
    const { admins, limits, proposals, propose } = begin();
    admins.admins.clear();
    expect(await propose('root', 20)).toEqual({ ok: false, refusal: 'no_admins' });
    expect([limits.now, proposals.waiting.size]).toEqual([10, 0]);
    expect(await propose('root', 5)).toMatchObject({ value: { kind: 'done' } });
    expect(limits.decided).toEqual([{ by: 'one' }]);
  });
});
