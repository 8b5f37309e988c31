import { type Batch } from '#views/projection';
import { invariants } from '../oracle/invariants.js';
import { SimulatedViews } from '../servers/views.js';
import { type Bug } from './bug.js';

class CheckpointAfterwards extends SimulatedViews {
  override async commit(batch: Batch): Promise<void> {
    await this.call('applies a batch', () => {
      this.tables.apply(batch.events);
    });
    await this.call(`moves the checkpoint to ${batch.to.position}`, () => {
      this.tables.commit({ ...batch, events: [] }, { fence: true, from: true });
    });
  }
}

class WithoutOldCheckpoint extends SimulatedViews {
  override commit(batch: Batch): Promise<void> {
    return this.call(`commits the views up to ${batch.to.position}`, () => {
      this.tables.commit(batch, { fence: true, from: false });
    });
  }
}

class WithoutFence extends SimulatedViews {
  override commit(batch: Batch): Promise<void> {
    return this.call(`commits the views from ${batch.from.position}`, () => {
      this.tables.commit(batch, { fence: false, from: true });
    });
  }
}

class LostCheckpoint extends SimulatedViews {
  override async checkpoint() {
    const { position } = await super.checkpoint();
    return { position: position > 0n ? position - 1n : position };
  }

  override commit(batch: Batch): Promise<void> {
    return this.call(`commits the views up to ${batch.to.position}`, () => {
      this.tables.commit(batch, { fence: true, from: false });
    });
  }
}

export const projectingBugs: readonly Bug[] = [
  {
    name: 'checkpoint-outside-transaction',
    does: 'a batch is committed first and its checkpoint afterwards',
    breaks: [invariants.balancesAreFold, invariants.listIsFold],
    parts: (_standard, { views }) => ({ views: (life) => new CheckpointAfterwards(life, views) }),
  },
  {
    name: 'no-old-checkpoint',
    does: 'a batch is applied wherever the checkpoint stands',
    breaks: [invariants.risingCheckpoint],
    parts: (_standard, { views }) => ({ views: (life) => new WithoutOldCheckpoint(life, views) }),
  },
  {
    name: 'lost-checkpoint',
    does: 'a projector that starts again begins one event too early',
    breaks: [invariants.risingCheckpoint, invariants.balancesAreFold],
    parts: (_standard, { views }) => ({ views: (life) => new LostCheckpoint(life, views) }),
  },
  {
    name: 'fence-ignored',
    does: 'a projector that was frozen past its lease commits when it wakes',
    breaks: [invariants.leaderCommits],
    parts: (_standard, { views }) => ({ views: (life) => new WithoutFence(life, views) }),
  },
];
