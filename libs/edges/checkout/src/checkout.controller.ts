import { Controller, Get, Header, Post, Req, Res, UseFilters } from '@nestjs/common';
import { V3Gate } from '#edges/v3-gate';
import { languages, readBody, WithoutAuthentication } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { KeptNumbers } from './form/kept-numbers.js';
import { formText, postedForm, postedLink } from './form/posted-form.js';
import { FaultPages } from './fault-pages.filter.js';
import { LinkPages } from './link-pages.js';
import { script } from './page/script.js';
import { type PayOutcome, Payments } from './payments.js';
import { placeOf, routeOf, v3Routes } from './place-of.js';

/** Without a language in the path, the browser's language applies. */
const routes = ['', ...languages];

/**
 * The hosted page: `/checkout` for both versions of links, and V3's own addresses for V3's. A GET shows what a link is
 * for or its outcome. A POST asks the phone to pay and leads back to the GET.
 */
@Controller(['checkout', ...v3Routes])
@WithoutAuthentication('the hash of the link is the merchant’s word')
@UseFilters(FaultPages)
export class CheckoutController {
  constructor(
    private readonly pages: LinkPages,
    private readonly payments: Payments,
    private readonly numbers: KeptNumbers,
    private readonly v3: V3Gate,
  ) {}

  @Get(routes)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = placeOf(request);
    if (place.rawQuery === '') this.pages.explain({ request, reply, place });
    else await this.pages.show({ request, reply, place });
  }

  @Post(routes)
  async pay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = placeOf(request);
    const body = await readBody(request);
    const mayBeLink = place.rawQuery === '';
    if (mayBeLink && !this.v3.passForm(reply, formText(body))) return;
    const link = mayBeLink ? postedLink(body) : undefined;
    const outcome: PayOutcome =
      link === undefined
        ? await this.payments.pay(request, place, postedForm(body))
        : { kind: 'see_state' };
    if (outcome.kind === 'form_again') {
      this.pages.showAgain({ request, reply, place }, outcome);
      return;
    }
    if (outcome.typed) this.numbers.keep({ request, reply, path: place.path }, outcome.typed);
    seeOther(reply, `${routeOf(request)}?${link ?? place.rawQuery}`);
  }
}

/** Answers every form with a redirect to a GET, so that loading the page again sends nothing. */
function seeOther(reply: FastifyReply, location: string): void {
  void reply.code(303).header('Location', location).send();
}

/** The bytes at this address never change. */
@Controller('checkout')
@WithoutAuthentication('a script for everybody')
export class ScriptController {
  private readonly bytes = Buffer.from(script);

  @Get('page.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=31536000, immutable')
  page(): Buffer {
    return this.bytes;
  }
}
