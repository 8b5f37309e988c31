import { StopBreakGlass } from '#domain/people';
import { readForEver } from '#desk/operators';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { SignedIn } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { viewerOf } from '../access/viewer.js';
import { actingAs } from '../operator/acting.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { textsOf } from '../text/texts-of.js';
import { breakGlassPage, stopReasonField } from './break-glass-page.js';

/**
 * The announcement of a new admin (PEO-58). Everyone who is signed in sees it. The log decides about a stop: a
 * suspended admin has no role that an action could name, but may still stop it. A stop grants nothing, so it takes no
 * proof of presence and no second page.
 */
@Controller('portal/break-glass')
@SignedIn()
export class BreakGlassController {
  constructor(
    private readonly bus: CommandBus,
    private readonly options: PortalOptions,
  ) {}

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  @Post('stop')
  async stop(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { refusals } = textsOf(viewer).breakGlass;
    const reason = readForEver(postedForm(request).get(stopReasonField) ?? '');
    if (!reason.ok) {
      this.send(request, reply, refusals.reason);
      return;
    }
    const command = new StopBreakGlass(actingAs(request, viewer, reason.value));
    const done = await this.bus.execute(command);
    if (done.ok) seeOtherPage(reply, '/portal/break-glass?done=stopped');
    else this.send(request, reply, refusals[done.refusal]);
  }

  private send(request: FastifyRequest, reply: FastifyReply, refused?: string): void {
    const viewer = viewerOf(request);
    const wasStopped = doneOf(request) === 'stopped';
    const { timezone } = this.options;
    sendPage(request, reply, breakGlassPage(viewer, { timezone, wasStopped, refused }));
  }
}
