export { applyBatch } from './apply-batch.js';
export { UnprojectableEvent } from './event-subjects.js';
export { Filler } from './filler.js';
export { type Stopped } from './isolation.js';
export { ForeignLog, Projector } from './projector.js';
export { SqlFilling } from './sql-filling.js';
export { type Batch, type Leadership, projectorLease, SqlViews, Views } from './sql-views.js';
export { watchViews } from './watch-views.js';
