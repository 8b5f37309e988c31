import { Controller, Get, Req, Res } from '@nestjs/common';
import { WithoutAuthentication } from '#shared/http';
import { html } from '#shared/html';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { sendPage } from './page/page.js';
import { definitions } from './page/parts.js';
import { PortalOptions } from './portal-options.js';
import { languageOf } from './text/language.js';
import { textsOf } from './text/texts-of.js';

/** The page that replaces the portal if no issuer is set. It says what to set. */
@Controller('portal')
@WithoutAuthentication('there is nothing to protect')
export class NotSetUpController {
  constructor(private readonly options: PortalOptions) {}

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { notSetUp, redirectAddress } = textsOf({ language: languageOf(request) });
    const { title, text } = notSetUp;
    sendPage(request, reply, {
      title,
      status: 404,
      content: html`<p>${text}</p>
        ${definitions([[redirectAddress, html`<code>${this.options.url}/portal/callback</code>`]])}
        <p><code>docs/reference/operations.md</code></p>`,
    });
  }
}
