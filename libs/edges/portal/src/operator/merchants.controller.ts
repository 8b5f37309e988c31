import { Database } from '#infra/postgres';
import { findMerchants } from '#views/merchants';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { viewerOf } from '../access/viewer.js';
import { sendPage } from '../page/page.js';
import { labelsOf, platformPlaces } from '../page/places.js';
import { merchantsPage } from './merchants-page.js';
import { pageSize, queryOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';

/** The directory of merchants, for operators. */
@Controller('portal/merchants')
@Permits('merchants.list')
export class MerchantsController {
  constructor(
    private readonly contexts: PageContexts,
    private readonly database: Database,
  ) {}

  @Get()
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const after = (queryOf(request).get('after') ?? '').slice(0, 64);
    return this.send(request, reply, { text: '', after });
  }

  /** The search is a form, so that typed text is in no address and no log (POR-59). */
  @Post()
  search(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const text = (postedForm(request).get('text') ?? '').trim().slice(0, 100);
    return this.send(request, reply, { text, after: '' });
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { readonly text: string; readonly after: string },
  ): Promise<void> {
    const viewer = viewerOf(request);
    const merchants = await findMerchants(this.database, { ...asked, limit: pageSize + 1 });
    sendPage(request, reply, {
      title: labelsOf(platformPlaces, viewer.language).merchants,
      place: 'merchants',
      content: merchantsPage({ text: asked.text, merchants }, this.contexts.of(viewer)),
    });
  }
}
