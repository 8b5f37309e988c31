import { Readable } from 'node:stream';
import { Clock, type Instant, instantFromMs, isCalendarDay, msFromInstant } from '#domain/kernel';
import { RoleHistory } from '#domain/people';
import { ReadDatabase } from '#infra/postgres';
import { dayAt, endOfDay } from '#infra/runtime';
import { actsUpTo, listActs } from '#views/acts';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { viewerOf } from '../access/viewer.js';
import { pageSize, queryOf } from '../operator/page-context.js';
import { PageContexts } from '../operator/page-contexts.js';
import { sendPage } from '../page/page.js';
import { PersonNames } from '#records/people';
import { type ActivityPage, listActivity } from './activity.js';
import { actsAsCsv, actsAsNdjson } from './acts-file.js';
import { actsPage } from './acts-page.js';
import { type ActsQuery, actsWanted, readActsQuery } from './acts-query.js';
import { type PageContext, pageContextOf } from './page-context.js';
import { type Names } from './person.js';
import { rolesPage } from './roles-page.js';

const formats = {
  csv: { type: 'text/csv; charset=utf-8', write: actsAsCsv },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', write: actsAsNdjson },
} as const;

@Controller('portal/audit')
export class PeopleController {
  // eslint-disable-next-line max-params -- Nest hands each port over by itself
  constructor(
    private readonly history: RoleHistory,
    private readonly database: ReadDatabase,
    private readonly names: PersonNames,
    private readonly contexts: PageContexts,
    private readonly clock: Clock,
  ) {}

  @Get('roles')
  @Permits('roles.see')
  async roles(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.context(request);
    const day = (queryOf(request).get('at') ?? '').trim();
    // A future day is wrong: no one can know who will have a role.
    const isPast = isCalendarDay(day) && day <= dayAt(this.clock.nowMs(), context.zone);
    const isWrong = day !== '' && !isPast;
    const instant = isCalendarDay(day) ? lastOf(endOfDay(day, context.zone)) : undefined;
    const roles = isWrong
      ? []
      : await this.history.rolesAt(instant === undefined ? 'now' : { instant });
    const people = roles.flatMap(({ proposedBy, confirmedBy }) => [proposedBy, confirmedBy ?? []]);
    const merchants = roles.flatMap(({ merchantId }) => merchantId ?? []);
    const [names, named] = await Promise.all([
      this.names.of([...new Set(people.flat())]),
      this.contexts.naming(viewerOf(request), { merchants }),
    ]);
    const content = rolesPage({ roles, day, isWrong, names }, pageContextOf(named));
    const status = isWrong ? 422 : 200;
    sendPage(request, reply, {
      title: context.words.places.roles,
      content,
      place: 'roles',
      status,
    });
  }

  @Get('people')
  @Permits('audit.see')
  async people(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.context(request);
    const query = readActsQuery(queryOf(request));
    if (query.wrong.length > 0) {
      this.send(reply, { request, query, context });
      return;
    }
    const wanted = await this.wanted(query, context);
    const how = { place: query.place, limit: pageSize };
    const page = await listActivity(this.database, wanted, how);
    const acts = page.entries.flatMap((entry) => (entry.kind === 'act' ? [entry.act] : []));
    const merchants = acts.flatMap(({ merchantId }) => merchantId ?? []);
    const people = page.entries.flatMap((entry) =>
      entry.kind === 'act' ? entry.act.people : [entry.proposal.by],
    );
    const [names, named] = await Promise.all([
      this.names.of([...new Set(people)]),
      this.contexts.naming(viewerOf(request), { merchants }),
    ]);
    this.send(reply, { request, query, context: pageContextOf(named) }, { page, names });
  }

  @Get('people.csv')
  @Permits('audit.see')
  csv(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.file('csv', request, reply);
  }

  @Get('people.ndjson')
  @Permits('audit.see')
  ndjson(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.file('ndjson', request, reply);
  }

  /** Streams the file while it is made. Its name and each of its lines give the position of the log up to which it goes. */
  private async file(
    format: keyof typeof formats,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const context = this.context(request);
    const query = readActsQuery(queryOf(request));
    const known = await listActs(this.database, {}, { limit: 1 });
    const upTo = query.upTo ?? known.upTo;
    const wrong = upTo > known.upTo ? [...query.wrong, 'position' as const] : query.wrong;
    if (wrong.length > 0) {
      this.send(reply, { request, query: { ...query, wrong }, context });
      return;
    }
    const { type, write } = formats[format];
    const acts = actsUpTo(this.database, await this.wanted(query, context), upTo);
    void reply
      .header('Content-Disposition', `attachment; filename="acts-position-${upTo}.${format}"`)
      .type(type)
      .send(Readable.from(write(acts, upTo)));
  }

  private wanted(query: ActsQuery, { viewer, zone }: PageContext) {
    return actsWanted(query, { names: this.names, viewer, zone });
  }

  private send(
    reply: FastifyReply,
    asked: {
      readonly request: FastifyRequest;
      readonly query: ActsQuery;
      readonly context: PageContext;
    },
    found?: { readonly page: ActivityPage; readonly names: Names },
  ): void {
    const { request, query, context } = asked;
    const { page, names = new Map<string, string>() } = found ?? {};
    sendPage(request, reply, {
      title: context.words.places.people,
      place: 'people',
      content: actsPage({ query, page, names }, context),
      ...(query.wrong.length > 0 && { status: 422, isFault: true }),
    });
  }

  private context(request: FastifyRequest): PageContext {
    return pageContextOf(this.contexts.of(viewerOf(request)));
  }
}

/** The last instant of a day; its end is the first instant that no longer belongs to it. */
function lastOf(end: Instant): Instant {
  return instantFromMs(msFromInstant(end) - 1);
}
