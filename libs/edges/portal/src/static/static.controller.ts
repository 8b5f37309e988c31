import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { httpErrors, Problem, WithoutAuthentication } from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { allAssets } from './assets.js';

/** Style and script of the pages. */
@Controller('portal/static')
@WithoutAuthentication('style and script say nothing of anybody')
export class StaticController {
  @Get(':name')
  file(
    @Param('name') name: string,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const found = allAssets().find(({ address }) => address.endsWith(`/${name}`));
    if (!found) throw new Problem(httpErrors.not_found);
    const isGzipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
    if (isGzipped) void reply.header('Content-Encoding', 'gzip');
    void reply
      .header('Vary', 'Accept-Encoding')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .type(found.type)
      .send(isGzipped ? found.gzipped : found.bytes);
  }
}
