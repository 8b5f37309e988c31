import { type EventStore, Pipeline } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { type BreakGlass, type BreakGlassTimes, grantAnnounced, RolesInLog } from '#domain/people';
import { AnnouncedAdmins, NoticeOptions } from '#edges/notices';
import { Database } from '#infra/postgres';
import { announcementToldAt } from '#records/operations';
import { databaseNow } from '#views/view-set';
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

/** Grants an announced admin's role when the time has come, and logs an error for each announcement (PEO-58). */
@Injectable()
export class BreakGlassStep {
  private readonly log = new Logger('break-glass');
  private readonly times: BreakGlassTimes;
  private told: string | undefined;

  constructor(
    private readonly pipeline: Pipeline,
    database: Database,
    notices: NoticeOptions,
  ) {
    this.times = {
      // A worker whose own clock is hours ahead must not grant hours early.
      now: async () => instantFromMs((await databaseNow(database)).getTime()),
      toldAt: ({ id, announcedAt }) =>
        notices.tellsOperators ? announcementToldAt(database, id) : Promise.resolve(announcedAt),
    };
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle'> {
    const waiting = await grantAnnounced(this.pipeline, this.times);
    if (waiting && waiting.id !== this.told) {
      const { person, proposedBy, takesEffectAt } = waiting;
      const msg = 'a new admin is announced, and any admin may stop it: role break-glass stop';
      this.log.error({ msg, person, proposedBy, takesEffectAt });
      this.told = waiting.id;
    }
    return 'idle';
  }
}
