import { Clock } from '#domain/kernel';
import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { noteRequest, WithoutAuthentication } from '#shared/http';
import { html } from '#shared/html';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { SignedIn, WithoutSession } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { Refusals } from '../access/refusals.js';
import { isFromHere } from '../access/site.js';
import { forgetViewer, viewerOf } from '../access/viewer.js';
import { clockOf } from '../page/clock-of.js';
import { firstPlace } from '../page/navigation.js';
import { doneOf, sendPage, seeOtherPage } from '../page/page.js';
import { languageOf } from '../text/language.js';
import { textsOf } from '../text/texts-of.js';
import { BrowserSessions, personDigest } from './browser-sessions.js';
import { sessionField, sessionsPage } from './sessions-page.js';
import { SignIns } from './sign-ins.js';
import { StepUp } from './step-up.js';
import { notAnew, stepUpPage } from './step-up-page.js';

/** A session's hash, as its page sends it. */
const hashPattern = /^[0-9a-f]{64}$/;

const signedOutPath = '/portal/signed-out';

/** Pages that concern only the viewer's own session. */
@Controller('portal')
@SignedIn()
export class SessionController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly signIns: SignIns,
    private readonly stepUp: StepUp,
    private readonly refusals: Refusals,
  ) {}

  @Get()
  home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const viewer = viewerOf(request);
    if (viewer.isSuspended === true) this.refusals.refuse('suspended');
    const place = firstPlace(viewer);
    if (!place) this.refusals.refuse('no_role');
    seeOtherPage(reply, place.href);
  }

  /** Shows a form that waits for a proof of presence and, once it is proved, the button that carries it out. */
  @Get('confirm/:id')
  async confirm(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const held = await this.stepUp.find(id, viewer.sessionHash);
    if (!held) this.refusals.refuse('stale_confirmation');
    const wasNotAnew = doneOf(request) === notAnew;
    sendPage(request, reply, stepUpPage(viewer, { id, ...held, wasNotAnew }));
  }

  /** This is a link and not a form: the page's policy forbids forms to lead to another site. */
  @Get('confirm/:id/prove')
  async prove(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // A link from another site would make the person prove their presence for a page that they never saw.
    if (!isFromHere(request, this.sessions.options.url)) this.refusals.refuse('other_site');
    const { person, sessionHash } = viewerOf(request);
    const held = await this.stepUp.find(id, sessionHash);
    if (!held) this.refusals.refuse('stale_confirmation');
    await this.sessions.untilNextSecond(person);
    const digest = held.form.digest.toString('hex');
    const purpose = { kind: 'prove', id, digest, person: personDigest(person) } as const;
    seeOtherPage(reply, await this.signIns.begin(request, reply, purpose));
  }

  @Post('sessions/end-all')
  @WithoutSession(signedOutPath)
  async endAll(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.signOut(request, reply);
  }

  /** A second tab's button finds its session ended, which is what its reader wanted. */
  @Post('sign-out')
  @WithoutSession(signedOutPath)
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.signOut(viewerOf(request).person, reply);
    noteRequest(request, { securityEvent: 'signed_out' });
    const leadsTo = await this.signIns.endOfSession(request, reply);
    if (leadsTo === undefined) seeOtherPage(reply, signedOutPath);
    else signedOutPage(request, reply, leadsTo);
  }
}

/** The viewer's own sessions. */
@Controller('portal/sessions')
@SignedIn()
export class OwnSessionsController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly clock: Clock,
    private readonly refusals: Refusals,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const clock = clockOf(this.sessions.options, viewer, this.clock.nowMs());
    const sessions = await this.sessions.openOf(viewer.person);
    const wasEnded = doneOf(request) === 'ended';
    sendPage(request, reply, sessionsPage(viewer, { sessions, clock, wasEnded }));
  }

  @Post('end')
  async endOne(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const named = postedForm(request).get(sessionField) ?? '';
    if (!hashPattern.test(named)) this.refusals.refuse('not_found');
    await this.sessions.endOne(viewerOf(request).person, Buffer.from(named, 'hex'));
    noteRequest(request, { securityEvent: 'session_ended' });
    seeOtherPage(reply, '/portal/sessions?done=ended');
  }
}

/** The page after a sign-out. */
@Controller('portal')
@WithoutAuthentication('says nothing of anybody')
export class SignedOutController {
  @Get('signed-out')
  signedOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    signedOutPage(request, reply);
  }
}

/** @param leadsTo the address at which the provider ends its own session as well */
function signedOutPage(request: FastifyRequest, reply: FastifyReply, leadsTo?: string): void {
  const { signedOut } = textsOf({ language: languageOf(request) });
  forgetViewer(request);
  sendPage(request, reply, {
    title: signedOut.title,
    ...(leadsTo !== undefined && { leadsTo }),
    isDialog: true,
    content: html`<p>${signedOut.text}</p>
      <div class="buttons">
        ${leadsTo === undefined ? undefined : html`<a class="button" href="${leadsTo}">${signedOut.atProvider}</a>`}
        <a class="button${leadsTo === undefined ? undefined : ' secondary'}" href="/portal"
          >${signedOut.again}</a
        >
      </div>`,
  });
}
