import { readFileSync } from 'node:fs';
import { Controller, Get, Header, Module } from '@nestjs/common';
import { packageDirectory } from '#infra/postgres';
import { PageAddress, WithoutAuthentication } from '#shared/http';
import { apiDocument } from './document/api-document.js';
import { home } from './page/home.js';
import { page } from './page/page.js';
import { style } from './page/style.js';

/** Settings that this module needs. The app provides them under this class. */
export class ApiDocsOptions {
  constructor(
    /** BASE_URL: the quick start calls this address. */
    readonly baseUrl: string,
  ) {}
}

/** Long enough for a reader's clicks, short enough for a release. */
const cacheControl = 'public, max-age=60';

/** The page loads only its own style and script, and sends nothing. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const javascript = 'text/javascript; charset=utf-8';

/** Serves the public reference. It is made once, as bytes, because a string would be written as JSON again. */
@Controller()
@WithoutAuthentication('the reference is public')
class DocsController {
  private readonly document = Buffer.from(JSON.stringify(apiDocument()));
  private readonly html: Buffer;
  private readonly home = Buffer.from(home());
  private readonly css = Buffer.from(style);
  private readonly script = compiled('walk-through');
  private readonly steps = compiled('signing-steps');

  constructor({ baseUrl }: ApiDocsOptions) {
    this.html = Buffer.from(page(apiDocument(), baseUrl));
  }

  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', cacheControl)
  @Header('Content-Security-Policy', pagePolicy)
  root(): Buffer {
    return this.home;
  }

  @Get('openapi.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', cacheControl)
  openApi(): Buffer {
    return this.document;
  }

  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', cacheControl)
  @Header('Content-Security-Policy', pagePolicy)
  reference(): Buffer {
    return this.html;
  }

  @Get('docs/style.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', cacheControl)
  stylesheet(): Buffer {
    return this.css;
  }

  @Get('docs/walk-through.js')
  @Header('Content-Type', javascript)
  @Header('Cache-Control', cacheControl)
  walkThrough(): Buffer {
    return this.script;
  }

  @Get('docs/signing-steps.js')
  @Header('Content-Type', javascript)
  @Header('Cache-Control', cacheControl)
  signingSteps(): Buffer {
    return this.steps;
  }
}

/** Returns the compiled module of `browser/`, without the pointer to its source map, which is not served. */
function compiled(module: string): Buffer {
  const built = packageDirectory('dist/libs/edges/api-docs/src/browser', `${module}.js`);
  const text = readFileSync(built, 'utf8');
  return Buffer.from(text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}

/** Needs, from the app's infrastructure: ApiDocsOptions. */
@Module({
  controllers: [DocsController],
  providers: [{ provide: PageAddress, useValue: new PageAddress('/docs') }],
})
export class ApiDocsModule {}
