import { Controller, Get, Req, Res } from '@nestjs/common';
import { rawQuery, WithoutAuthentication } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { wayBack } from '../access/site.js';
import { seeOtherPage } from '../page/page.js';
import { BrowserSessions } from './browser-sessions.js';
import { SignIns } from './sign-ins.js';
import { StepUp } from './step-up.js';
import { Refusals } from '../access/refusals.js';

/** The way to the identity provider and back, to sign in or to prove presence for a form. */
@Controller('portal')
@WithoutAuthentication('who signs in is nobody yet')
export class SignInController {
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
    // Cookies of 127.0.0.1 are not those of localhost, to which the provider leads back. Before https stands a proxy,
    // which may name another host to us: that would lead in a circle.
    if (url.startsWith('http:') && request.headers.host !== new URL(url).host)
      seeOtherPage(reply, `${url}/portal/sign-in?back=${encodeURIComponent(back)}`);
    else if (await this.sessions.find(request)) seeOtherPage(reply, back);
    else seeOtherPage(reply, await this.signIns.begin(request, reply, { kind: 'sign_in', back }));
  }

  @Get('callback')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { purpose, idToken, ...authenticated } = await this.signIns.finish(request, reply);
    if (purpose.kind === 'sign_in') {
      this.signIns.rememberForSignOut(reply, idToken);
      await this.sessions.open(request, reply, authenticated);
      seeOtherPage(reply, purpose.back);
      return;
    }
    const session = await this.sessions.find(request);
    const [now, then] = [authenticated.person, session?.person];
    if (!session || now.issuer !== then?.issuer || now.subject !== then.subject)
      this.refusals.refuse('other_person');
    const digest = Buffer.from(purpose.digest, 'hex');
    if (!(await this.stepUp.prove(purpose.id, session.hash, digest)))
      this.refusals.refuse('stale_confirmation');
    seeOtherPage(reply, `/portal/confirm/${purpose.id}`);
  }
}
