import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { personId } from '#domain/people';
import { noteRequest, rawQuery, WithoutAuthentication } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { wayBack } from '../access/site.js';
import { seeOtherPage } from '../page/page.js';
import { BrowserSessions } from './browser-sessions.js';
import { SessionRenewal } from './session-renewal.js';
import { SignIns } from './sign-ins.js';
import { notAnew } from './step-up-page.js';
import { StepUp } from './step-up.js';
import { Refusals } from '../access/refusals.js';

/** The way to the identity provider and back, to sign in or to prove presence for a form. */
@Controller('portal')
@WithoutAuthentication('a person who signs in has no session yet')
export class SignInController {
  @Inject(SessionRenewal) private readonly renewal!: SessionRenewal;

  constructor(
    private readonly sessions: BrowserSessions,
    private readonly signIns: SignIns,
    private readonly stepUp: StepUp,
    private readonly refusals: Refusals,
  ) {}

  @Get('sign-in')
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const back = wayBack(new URLSearchParams(rawQuery(request)).get('back'));
    const { url } = this.sessions.options;
    // Cookies of 127.0.0.1 are not those of localhost, to which the provider leads back. This redirect is only for
    // http: with https, a proxy may pass another host to us, and the redirect would loop.
    if (url.startsWith('http:') && request.headers.host !== new URL(url).host)
      seeOtherPage(reply, `${url}/portal/sign-in?back=${encodeURIComponent(back)}`);
    else if (await this.sessions.find(request)) seeOtherPage(reply, back);
    else seeOtherPage(reply, await this.signIns.begin(request, reply, { kind: 'sign_in', back }));
  }

  @Get('callback')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const session = await this.sessions.find(request);
    if (session) noteRequest(request, { personId: personId(session.person) });
    const finished = await this.signIns.finish(request, reply);
    if (!finished) {
      // The person is signed in already: they went back, opened the address again or signed in with another tab.
      if (!session) this.refusals.refuse('sign_in_failed');
      seeOtherPage(reply, this.signIns.placeUnderWay(request));
      return;
    }
    const { purpose, idToken, isAnew, begunAgoMs, ...authenticated } = finished;
    if (purpose.kind === 'sign_in') {
      this.signIns.rememberForSignOut(reply, idToken);
      const opened = await this.sessions.open(request, reply, authenticated, begunAgoMs);
      if (!opened) this.refusals.refuse('sign_in_failed');
      const { refreshToken } = authenticated;
      if (refreshToken !== undefined) await this.renewal.keep(opened, refreshToken);
      const signedIn = personId(authenticated.person);
      noteRequest(request, { personId: signedIn, securityEvent: 'signed_in' });
      seeOtherPage(reply, purpose.back);
      return;
    }
    const [now, then] = [authenticated.person, session?.person];
    if (!session || now.issuer !== then?.issuer || now.subject !== then.subject)
      this.refusals.refuse('other_person');
    const page = `/portal/confirm/${purpose.id}`;
    if (!isAnew || !(await this.sessions.proveAnew(session, authenticated.authenticatedAt))) {
      this.signIns.noteNotAnew();
      noteRequest(request, { securityEvent: 'presence_not_proved' });
      seeOtherPage(reply, `${page}?done=${notAnew}`);
      return;
    }
    const digest = Buffer.from(purpose.digest, 'hex');
    if (!(await this.stepUp.prove(purpose.id, session.hash, digest)))
      this.refusals.refuse('stale_confirmation');
    this.signIns.noteProved();
    noteRequest(request, { securityEvent: 'presence_proved' });
    seeOtherPage(reply, page);
  }
}
