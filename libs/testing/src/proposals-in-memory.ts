import { type Instant } from '#domain/kernel';
import {
  type OpenProposal,
  type Proposal,
  type ProposalKind,
  type ProposalOutcome,
  Proposals,
} from '#domain/proposals';

/** Proposals in memory. */
export class ProposalsInMemory extends Proposals {
  /** The time at which each is opened. */
  openedAt = '2026-01-01T00:00:00.000Z' as Instant;
  /** True makes `end` fail, as if the process died before it. */
  dies = false;
  readonly waiting = new Map<string, OpenProposal>();
  readonly ended = new Map<string, ProposalOutcome | 'replaced'>();
  readonly taken = new Map<string, string>();

  override open(proposal: Proposal): Promise<OpenProposal> {
    for (const [id, { about }] of this.waiting)
      if (about === proposal.about) this.close(id, 'replaced');
    const open = { ...proposal, proposedAt: this.openedAt, endsAt: this.openedAt };
    this.waiting.set(proposal.id, open);
    return Promise.resolve(open);
  }
  override findOpen = (id: string) => Promise.resolve(this.waiting.get(id));
  override listOpen(limit: number, only?: ProposalKind): Promise<readonly OpenProposal[]> {
    const open = [...this.waiting.values()].filter(({ kind }) => kind === (only ?? kind));
    return Promise.resolve(open.slice(0, limit));
  }
  override wasConfirmed = (id: string) => Promise.resolve(this.ended.get(id) === 'confirmed');
  override take(id: string, by: string): Promise<boolean> {
    if ((this.taken.get(id) ?? by) !== by) return Promise.resolve(false);
    this.taken.set(id, by);
    return Promise.resolve(true);
  }
  override giveBack(id: string): Promise<void> {
    this.taken.delete(id);
    return Promise.resolve();
  }
  override end(id: string, outcome: ProposalOutcome): Promise<boolean> {
    if (this.dies) return Promise.reject(new Error('died'));
    if (outcome !== 'confirmed' && this.taken.has(id)) return Promise.resolve(false);
    this.close(id, outcome);
    return Promise.resolve(true);
  }
  override endAllBy(proposedBy: string): Promise<void> {
    for (const each of this.waiting.values())
      if (each.proposedBy === proposedBy && !this.taken.has(each.id))
        this.close(each.id, 'declined');
    return Promise.resolve();
  }
  private close(id: string, outcome: ProposalOutcome | 'replaced'): void {
    if (this.waiting.delete(id)) this.ended.set(id, outcome);
  }
}
