import { type Clock, type Instant } from '#domain/kernel';
import { merchantStream, V3Admission, type V3AdmissionRefusal } from '#domain/merchants';
import { type EventStore } from '#domain/event-sourcing';
import { type CalendarDate, startOf } from './calendar.js';
import { ruleBegins, rulesAt } from './schedule.js';
import { type RetirementEvent, retirementStream } from './retirement.events.js';
import { retirementHistory } from './retirement.js';

/** What is asked: when, on which calendar, for a merchant registered when, with V3 already retired or not. */
interface V3CredentialQuestion {
  readonly gaDate: CalendarDate;
  readonly now: Instant;
  readonly registeredAt: Instant;
  readonly retired: boolean;
}

/**
 * Whether a V3 credential may be issued: to nobody once V3 is retired or restricted, and before that to no
 * merchant that was registered when new merchants were V4-only already.
 * @returns undefined where it may
 */
export function v3CredentialRefusal(
  question: V3CredentialQuestion,
): V3AdmissionRefusal | undefined {
  const { gaDate, now, registeredAt, retired } = question;
  if (retired) return 'v3_is_retired';
  if (rulesAt(gaDate, now).includes('no_new_credentials')) return 'v3_takes_nobody_new';
  return registeredAt >= startOf(ruleBegins(gaDate, 'new_merchants_v4_only'))
    ? 'new_merchants_v4_only'
    : undefined;
}

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
    const [registered] = await this.store.readStream(merchantStream(merchantId), 0n, 1);
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
