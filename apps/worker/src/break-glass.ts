import { type EventStore, Pipeline } from '#domain/event-sourcing';
import { Clock, msFromInstant } from '#domain/kernel';
import { type BreakGlass, grantAnnounced, RolesInLog } from '#domain/people';
import { AnnouncedAdmins } from '#edges/notices';
import { Metrics } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';

/** The log's own announcement, at most a second old. */
export class AnnouncedInLog extends AnnouncedAdmins {
  private readonly roles: RolesInLog;

  constructor(store: EventStore) {
    super();
    this.roles = new RolesInLog(store, () => performance.now());
  }

  override waiting(): Promise<BreakGlass | undefined> {
    return this.roles.breakGlass();
  }
}

/** Grants an announced admin's role when the time has come, and raises the alarm until then (PEO-58). */
@Injectable()
export class BreakGlassStep {
  private readonly log = new Logger('break-glass');
  private readonly takesEffectAt;
  private told: string | undefined;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.takesEffectAt = metrics.gauge({
      name: 'break_glass_takes_effect_at_seconds',
      help: 'When an announced admin becomes one, in seconds of the epoch; 0: none is announced',
    });
    this.takesEffectAt.set(0);
  }

  /** @throws EventStoreUnavailable */
  async step(): Promise<'idle'> {
    const waiting = await grantAnnounced(this.pipeline, this.clock);
    this.takesEffectAt.set(waiting ? msFromInstant(waiting.takesEffectAt) / 1000 : 0);
    if (waiting && waiting.id !== this.told) {
      const { person, proposedBy, takesEffectAt } = waiting;
      const msg = 'a new admin is announced, and any admin may stop it: role break-glass stop';
      this.log.error({ msg, person, proposedBy, takesEffectAt });
      this.told = waiting.id;
    }
    return 'idle';
  }
}
