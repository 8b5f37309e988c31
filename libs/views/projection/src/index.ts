export { applyBatch, UnprojectableEvent } from './apply-batch.js';
export { type Stopped } from './apply-isolated.js';
export { ForeignLog, Projector } from './projector.js';
export { projectorLease, SqlViews } from './sql-views.js';
export { type Batch, type Leadership, Views } from './views.js';
export { watchViews } from './watch-views.js';
