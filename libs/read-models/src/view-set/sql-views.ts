import { type Position } from '#event-sourcing';
import { type Database, holdsFence } from '#postgres';
import { applyBatch } from './apply-batch.js';
import { advanceCheckpoint, noteFresh, readCheckpoint } from './view-set.js';
import { type Batch, type Checkpoint, CheckpointMoved, Views } from './views.js';

/** The lease that leads the projectors; a batch's transaction checks its fence. */
export const projectorLease = 'projector';

/** The views in Postgres: those that the database's search_path names. */
export class SqlViews extends Views {
  constructor(private readonly database: Database) {
    super();
  }

  override checkpoint(): Promise<Checkpoint> {
    return readCheckpoint(this.database);
  }

  override commit({ events, from, to, fence }: Batch): Promise<void> {
    return this.database.transaction(async (transaction) => {
      if (!(await holdsFence(transaction, projectorLease, fence)))
        throw new CheckpointMoved('another projector holds the lease');
      await advanceCheckpoint(transaction, from, to);
      await applyBatch(transaction, events);
    });
  }

  override noteFresh(head: Position, atMs: number): Promise<void> {
    return noteFresh(this.database, head, new Date(atMs));
  }
}
