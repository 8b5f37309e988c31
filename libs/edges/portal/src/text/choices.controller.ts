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
import { isTheme, themeCookie } from './theme.js';

/** Browsers keep no cookie for longer. */
const rememberedSeconds = 400 * 86_400;

interface Choice {
  readonly field: 'language' | 'theme';
  readonly cookie: string;
  readonly isOffered: (value: string) => boolean;
}

/** Sets the language and the colours that a person chose, on any page. */
@Controller('portal')
@WithoutAuthentication('changes nothing but the language and colours of this browser')
export class ChoicesController {
  constructor(
    private readonly options: PortalOptions,
    private readonly refusals: Refusals,
  ) {}

  @Post('language')
  language(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const choice = { field: 'language', cookie: languageCookie, isOffered: isLanguage } as const;
    return this.choose(request, reply, choice);
  }

  @Post('theme')
  theme(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const choice = { field: 'theme', cookie: themeCookie, isOffered: isTheme } as const;
    return this.choose(request, reply, choice);
  }

  /** Remembers a value that is offered; another value changes nothing. Leads back to the page either way. */
  private async choose(
    request: FastifyRequest,
    reply: FastifyReply,
    { field, cookie, isOffered }: Choice,
  ): Promise<void> {
    const { url } = this.options;
    if (!isFromHere(request, url)) this.refusals.refuse('other_site');
    await readBody(request);
    const form = postedForm(request);
    const value = form.get(field) ?? '';
    if (isOffered(value)) new PortalCookie(cookie, url).set(reply, value, rememberedSeconds);
    seeOtherPage(reply, wayBack(form.get('back')));
  }
}
