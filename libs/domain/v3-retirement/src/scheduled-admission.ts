import { type Clock, type Instant } from '#domain/kernel';
import { merchantStream, V3Admission, type V3AdmissionRefusal } from '#domain/merchants';
import { type EventStore } from '#domain/event-sourcing';
import { type CalendarDate, startOf } from './calendar.js';
import { ruleBegins, rulesAt } from './schedule.js';
import { type RetirementEvent, retirementStream } from './retirement.events.js';
import { retirementHistory } from './retirement.js';

/** The facts about a merchant that asks for a V3 credential. */
interface V3CredentialQuestion {
  readonly gaDate: CalendarDate;
  readonly now: Instant;
  readonly registeredAt: Instant;
  readonly retired: boolean;
}

/**
 * Returns the reason why a V3 credential may not be issued. Once V3 is retired or restricted, none may be. Before that,
 * a merchant gets none if it registered when new merchants were V4-only already.
 * @returns undefined if it may be issued
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

/** Admits merchants by the schedule, and none once V3 is retired. It reads the log, so it is never behind. */
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
    // An unregistered merchant is refused elsewhere.
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
