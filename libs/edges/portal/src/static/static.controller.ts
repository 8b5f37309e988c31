import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { httpErrors, Problem, WithoutAuthentication } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { allAssets } from './assets.js';

/** Style and script of the pages. */
@Controller('portal/static')
@WithoutAuthentication('style and script say nothing of anybody')
export class StaticController {
  @Get(':name')
  async file(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = allAssets().find(({ address }) => address.endsWith(`/${name}`));
    if (!found) throw new Problem(httpErrors.not_found);
    await found.file.answer(request, reply);
  }
}
