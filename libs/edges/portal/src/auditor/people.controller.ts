import { EventStore, type EventRecord, type RecordedEvent } from '#domain/event-sourcing';
import { evidenceStream, type EvidenceEvent } from '#domain/evidence';
import { type Instant, instantFromMs, isCalendarDay, msFromInstant } from '#domain/kernel';
import { type RoleEvent, RoleHistory, roleStream } from '#domain/people';
import { endOfDay } from '#infra/runtime';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { viewerOf } from '../access/viewer.js';
import { queryOf } from '../operator/looks.js';
import { sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { type Look, lookOf } from './look.js';
import { fits, type PeopleEvent, type PeopleFilter, peoplePage } from './people-page.js';
import { rolesPage } from './roles-page.js';

/** No more of a stream is read for one question. */
const windowSize = 500;

/** What people did, from the ends of the streams that tell it. */
@Injectable()
export class PeopleLog {
  constructor(private readonly store: EventStore) {}

  /** The newest first. @throws DependencyUnavailable */
  async newest({ person, day }: PeopleFilter, zone: string): Promise<readonly PeopleEvent[]> {
    const end = isCalendarDay(day) ? endOfDay(day, zone) : undefined;
    const [roles, evidence] = await Promise.all([
      this.endOf<RoleEvent>(roleStream),
      this.endOf<EvidenceEvent>(evidenceStream),
    ]);
    return [...roles, ...evidence]
      .filter((event) => end === undefined || event.recordedAt < end)
      .filter((event) => fits(event, person))
      .sort((one, other) => (one.position < other.position ? 1 : -1));
  }

  private async endOf<E extends EventRecord>(stream: string): Promise<readonly RecordedEvent<E>[]> {
    const last = await this.store.readLast<E>(stream);
    if (!last) return [];
    const first = last.revision - BigInt(windowSize) + 1n;
    return this.store.readStream<E>(stream, first > 0n ? first : 0n, windowSize);
  }
}

@Controller('portal/audit')
export class PeopleController {
  constructor(
    private readonly history: RoleHistory,
    private readonly log: PeopleLog,
    private readonly options: PortalOptions,
  ) {}

  @Get('roles')
  @Permits('roles.see')
  async roles(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const look = this.look(request);
    const day = (queryOf(request).get('at') ?? '').trim();
    const isWrong = day !== '' && !isCalendarDay(day);
    const instant = isCalendarDay(day) ? lastOf(endOfDay(day, look.zone)) : undefined;
    const roles = isWrong
      ? []
      : await this.history.rolesAt(instant === undefined ? 'now' : { instant });
    const content = rolesPage({ roles, day, isWrong }, look);
    const status = isWrong ? 422 : 200;
    sendPage(request, reply, { title: look.words.places.roles, content, place: 'roles', status });
  }

  @Get('people')
  @Permits('audit.see')
  async people(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const look = this.look(request);
    const query = queryOf(request);
    const text = (name: string): string => (query.get(name) ?? '').trim().slice(0, 200);
    const filter = { person: text('person'), day: text('day') };
    const events = await this.log.newest(filter, look.zone);
    const content = peoplePage({ events, window: windowSize, ...filter }, look);
    sendPage(request, reply, { title: look.words.places.people, content, place: 'people' });
  }

  private look(request: FastifyRequest): Look {
    return lookOf(viewerOf(request), this.options.timezone);
  }
}

/** Of a day whose end is the first instant that is no longer of it. */
function lastOf(end: Instant): Instant {
  return instantFromMs(msFromInstant(end) - 1);
}
