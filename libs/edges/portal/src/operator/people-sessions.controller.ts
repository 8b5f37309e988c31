import { EndSessions, type Person, personId, personOf } from '#domain/people';
import { noteRequest } from '#shared/http';
import { html } from '#shared/html';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { labelsOf, platformPlaces } from '../page/places.js';
import { clockOf } from '../page/clock-of.js';
import { definitions, form, hidden } from '../page/parts.js';
import { BrowserSessions } from '../session/browser-sessions.js';
import { type Description } from '#records/people';
import { sessionField, sessionsTable } from '../session/sessions-page.js';
import { textsOf } from '../text/texts-of.js';
import { actingFor } from './acting.js';
import { queryOf, subjectOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';

/** A session's hash, as its page sends it. */
const hashPattern = /^[0-9a-f]{64}$/;
const personField = 'person';

/** The page of any person's sessions, for admins. Ending them takes proof of presence (PEO-53). */
@Controller('portal/roles/sessions')
export class PeopleSessionsController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly refusals: Refusals,
    private readonly bus: CommandBus,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  @Permits('sessions.see')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const id = queryOf(request).get(personField) ?? '';
    const person = this.personNamed(id);
    const { sessions: texts } = textsOf(viewer);
    const context = await this.contexts.naming(viewer, { people: [id], merchants: [] });
    const clock = clockOf(this.sessions.options, viewer, context.now.getTime());
    const end = (submit: string, session?: string) =>
      form(viewer, {
        action: '/portal/roles/sessions/end',
        submit,
        ...(session === undefined ? { danger: true } : { look: 'secondary' }),
        fields: [hidden(personField, id), hidden(sessionField, session ?? '')],
      });
    const sessions = await this.sessions.openOf(person);
    const name = context.names?.get(id);
    sendPage(request, reply, {
      title: name === undefined ? texts.titleOther : texts.titleOf(name),
      place: 'roles-now',
      done: doneOf(request) === 'ended' ? texts.ended : undefined,
      content: html`<p>
          <a href="/portal/roles">${labelsOf(platformPlaces, viewer.language)['roles-now']}</a>
        </p>
        ${definitions([[texts.whose, subjectOf(person)]])}
        ${sessionsTable(sessions, { viewer, clock }, ({ hash }) => end(texts.endButton, hash.toString('hex')))}
        ${sessions.length === 0 ? undefined : end(texts.endAllButton)}`,
    });
  }

  @Post('end')
  @Permits('sessions.end', (sent, controller: PeopleSessionsController) =>
    controller.describe(sent),
  )
  async end(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const values = postedForm(request);
    const id = values.get(personField) ?? '';
    const person = this.personNamed(id);
    const session = values.get(sessionField) ?? '';
    if (session !== '' && !hashPattern.test(session)) this.refusals.refuse('not_found');
    const which = session === '' ? 'all' : Buffer.from(session, 'hex');
    const metadata = actingFor(request, viewerOf(request), undefined);
    const done = await this.bus.execute(new EndSessions(personId(person), which, metadata));
    if (!done.ok) this.refusals.refuse(done.refusal);
    noteRequest(request, { securityEvent: 'session_ended' });
    seeOtherPage(
      reply,
      `/portal/roles/sessions?${personField}=${encodeURIComponent(id)}&done=ended`,
    );
  }

  describe({ form: sent, viewer }: SentForm): Description {
    const { sessions: texts } = textsOf(viewer);
    const isAll = (sent.get(sessionField) ?? '') === '';
    return {
      title: isAll ? texts.endAllButton : texts.endButton,
      rows: [[texts.whose, sent.get(personField) ?? '']],
    };
  }

  private personNamed(id: string): Person {
    const person = personOf(id);
    return person?.issuer === this.sessions.options.issuer?.issuer && person
      ? person
      : this.refusals.refuse('not_found');
  }
}
