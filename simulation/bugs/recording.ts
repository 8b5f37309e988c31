import { type InboxEntry, RailReferenceClaims, type Claim, type QueryAttempt } from '#edges/rails';
import { invariants } from '../oracle/invariants.js';
import { SimulatedInbox, SimulatedQuerySchedule, statement } from '../servers/record-ports.js';
import { type Bug } from './bug.js';

class AcknowledgedFirst extends SimulatedInbox {
  override add(entry: InboxEntry): Promise<void> {
    void super.add(entry).catch(() => undefined);
    return Promise.resolve();
  }
}

class MarkedFirst extends SimulatedInbox {
  override async leaseDue(options: { leaseMs: number; max: number }) {
    const entries = await super.leaseDue(options);
    for (const { id } of entries) await this.conclude(id, 'applied');
    return entries;
  }
}

/** Does not check if a rail reference belongs to another collection. */
class Unclaimed extends RailReferenceClaims {
  override claim(): Promise<Claim> {
    return Promise.resolve({ kind: 'claimed' });
  }

  override claimForeign(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

class Unleased extends SimulatedQuerySchedule {
  override lease({ stream, attempt }: QueryAttempt): Promise<boolean> {
    return statement(this.life, `takes question ${attempt} about ${stream}`, () => {
      this.tables.handOut(stream, attempt);
      return true;
    });
  }
}

export const recordingBugs: readonly Bug[] = [
  {
    name: 'acknowledged-before-durable',
    does: 'a callback is acknowledged while its row is still on its way into the inbox',
    breaks: [invariants.durableAcknowledgements],
    parts: (_standard, { records }) => ({ inbox: (life) => new AcknowledgedFirst(life, records) }),
  },
  {
    name: 'marked-before-applied',
    does: 'a row of the inbox counts as applied as soon as a worker takes it',
    breaks: [invariants.paidIsAccountedFor, invariants.completedWasPaid],
    parts: (_standard, { records }) => ({ inbox: (life) => new MarkedFirst(life, records) }),
  },
  {
    name: 'claim-skipped',
    does: 'a rail reference confirms whichever collection a callback names',
    breaks: [invariants.rightMoney],
    parts: () => ({ claims: (claimed, references) => new Unclaimed(claimed, references) }),
  },
  {
    name: 'question-not-leased',
    does: 'a worker puts a question without looking whether another one has taken it',
    breaks: [invariants.oneAsks],
    parts: (_standard, { records, timetable }) => ({
      schedule: (life) => new Unleased(life, timetable, records),
    }),
  },
];
