import { CompleteCorrection, correctionKeyOf, EndCorrection } from '#domain/corrections';
import {
  overdueCorrections as findOverdue,
  unfinishedCorrections as findUnfinished,
} from '#views/balances';
import { abandonedAfterMs, type Repair } from './repairs.js';

/** If no one confirms a correction for this long, it is refused (COR-9). */
const waitsMs = 24 * 3_600_000;

/** Posts confirmed corrections whose process died between the reservation and the posting. */
export const unfinishedCorrections: Repair = {
  what: 'correction',
  limit: 20,
  log: 'corrections',
  msg: 'a correction cannot be completed',
  repaired: {
    name: 'corrections_completed_total',
    help: 'Confirmed corrections that the worker posted because the confirming process had died',
  },
  find: (page, { database }) =>
    findUnfinished(database, { olderThanMs: abandonedAfterMs, ...page }),
  async repair(stream, { commandBus, worker }) {
    const key = correctionKeyOf(stream);
    if (!key) return 'unchanged';
    const done = await commandBus.execute(new CompleteCorrection(key, worker.metadata()));
    if (!done.ok)
      return { kind: 'failed', msg: 'a reservation has no correction', why: done.refusal };
    if (done.value === 'completed')
      return { kind: 'repaired', msg: 'completed a correction whose confirming process died' };
    return done.value === 'released'
      ? { kind: 'noted', msg: 'gave back what a correction that has ended had reserved' }
      : 'unchanged';
  },
};

/** Ends corrections that were not confirmed in time. */
export const overdueCorrections: Repair = {
  what: 'correction',
  limit: 20,
  log: 'corrections',
  msg: 'a correction cannot be ended',
  repaired: {
    name: 'corrections_expired_total',
    help: 'Proposed corrections that expired because no operator confirmed them within 24 hours',
  },
  find: (page, { database }) => findOverdue(database, { olderThanMs: waitsMs, ...page }),
  async repair(stream, { commandBus, worker }) {
    const key = correctionKeyOf(stream);
    if (!key) return 'unchanged';
    const command = new EndCorrection(key, 'expired', worker.now(), worker.metadata());
    const done = await commandBus.execute(command);
    // A refusal means that it was confirmed meanwhile, or that this machine's clock is behind the database's.
    return done.ok && done.value === 'ended' ? { kind: 'repaired' } : 'unchanged';
  },
};
