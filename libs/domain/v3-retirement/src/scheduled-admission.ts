import { type EventStore } from '#domain/event-sourcing';
import { type Clock } from '#domain/kernel';
import { merchantStream, V3Admission, type V3AdmissionRefusal } from '#domain/merchants';
import { type CalendarDate } from './calendar.js';
import { v3CredentialRefusal } from './credential-rule.js';
import { type RetirementEvent, retirementStream } from './retirement.events.js';
import { retirementHistory } from './retirement.js';

/** Lets merchants in by the schedule, and nobody once V3 is retired; both as the log says, so never behind. */
export class ScheduledAdmission extends V3Admission {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly gaDate: CalendarDate,
  ) {
    super();
  }

  override async refusalFor(merchantId: string): Promise<V3AdmissionRefusal | undefined> {
    const [registered] = await this.store.readStream(merchantStream(merchantId));
    // Whoever is not registered is refused for that.
    if (!registered) return undefined;
    const ends = await this.store.readStream<RetirementEvent>(retirementStream);
    return v3CredentialRefusal({
      gaDate: this.gaDate,
      now: this.clock.now(),
      registeredAt: registered.recordedAt,
      retired: retirementHistory(ends).state.kind === 'retired',
    });
  }
}
