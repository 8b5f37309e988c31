import { Controller, Get, Header } from '@nestjs/common';
import { WithoutAuthentication } from '#http';
import { apiDocument } from './document/api-document.js';

/** Long enough for a reader's clicks, short enough for a release. */
const cacheControl = 'public, max-age=60';

/** The reference, for anybody. Made once; bytes, because a text would be written as JSON again. */
@Controller()
@WithoutAuthentication('the reference is public')
export class DocsController {
  private readonly document = Buffer.from(JSON.stringify(apiDocument()));

  @Get('openapi.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', cacheControl)
  openApi(): Buffer {
    return this.document;
  }
}
