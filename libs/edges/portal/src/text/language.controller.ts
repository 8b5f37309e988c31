import { Controller, Post, Req, Res } from '@nestjs/common';
import { isLanguage, readBody, WithoutAuthentication } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { postedForm } from '../access/posted-form.js';
import { Refusals } from '../access/refusals.js';
import { isFromHere, wayBack } from '../access/site.js';
import { seeOtherPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { PortalCookie } from '../session/cookies.js';
import { languageCookie } from './language.js';

/** Browsers keep no cookie for longer. */
const rememberedSeconds = 400 * 86_400;

/** Sets the language that a person chose, on any page. */
@Controller('portal')
@WithoutAuthentication('changes nothing but the language of this browser')
export class LanguageController {
  private readonly cookie: PortalCookie;

  constructor(
    private readonly options: PortalOptions,
    private readonly refusals: Refusals,
  ) {
    this.cookie = new PortalCookie(languageCookie, options.url);
  }

  @Post('language')
  async choose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!isFromHere(request, this.options.url)) this.refusals.refuse('other_site');
    await readBody(request);
    const form = postedForm(request);
    const language = form.get('language') ?? '';
    if (isLanguage(language)) this.cookie.set(reply, language, rememberedSeconds);
    seeOtherPage(reply, wayBack(form.get('back')));
  }
}
