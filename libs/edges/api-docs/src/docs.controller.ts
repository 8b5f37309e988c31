import { Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import {
  httpErrors,
  PageAddress,
  Problem,
  PublicFile,
  rawPath,
  WithoutAuthentication,
} from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { apiDocument } from './document/api-document.js';
import { clientsDocument } from './document/clients-document.js';
import { pageAddresses } from './site/addresses.js';
import { addressesOf, siteFiles, staticFolder } from './site/files.js';
import { home } from './site/home.js';
import { siteOf } from './site/site.js';

/** Settings that this module needs. The app provides them under this class. */
export class ApiDocsOptions {
  constructor(
    /** BASE_URL: the quick start calls this address. */
    readonly baseUrl: string,
  ) {}
}

/** Long enough for a reader's clicks, short enough for a release. */
const cacheControl = 'public, max-age=60';
/** The address of a style or script changes with its bytes. */
const forEver = 'public, max-age=31536000, immutable';

/** The pages load only their own style, scripts and the icons in the style, and send nothing. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Language': 'en',
  'Cache-Control': cacheControl,
  'Content-Security-Policy': pagePolicy,
};

const toFiles = (pages: ReadonlyMap<string, string>): ReadonlyMap<string, PublicFile> =>
  new Map([...pages].map(([path, text]) => [path, new PublicFile(Buffer.from(text), pageHeaders)]));

const toJsonFile = (value: object): PublicFile =>
  new PublicFile(Buffer.from(JSON.stringify(value)), {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': cacheControl,
  });

/** Serves the public documentation. It is made once, when a reader first asks, so that it does not slow the start. */
@Controller()
@WithoutAuthentication('the documentation is public')
class DocsController {
  private pages: ReadonlyMap<string, PublicFile> | undefined;
  private files: ReadonlyMap<string, PublicFile> | undefined;
  private document: PublicFile | undefined;
  private clientsDocument: PublicFile | undefined;

  constructor(private readonly options: ApiDocsOptions) {}

  @Get('openapi.json')
  async openApi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.document ??= toJsonFile(apiDocument());
    await this.document.answer(request, reply);
  }

  @Get('openapi.clients.json')
  async openApiForClients(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.clientsDocument ??= toJsonFile(clientsDocument());
    await this.clientsDocument.answer(request, reply);
  }

  @Get(['', ...pageAddresses])
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.pages ??= this.makePages();
    await found(this.pages.get(rawPath(request))).answer(request, reply);
  }

  @Get(`${staticFolder}/:name`)
  async file(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.files ??= new Map(
      Object.values(siteFiles()).map(({ address, bytes, type }) => [
        address,
        new PublicFile(bytes, { 'Content-Type': type, 'Cache-Control': forEver }),
      ]),
    );
    const file = this.files.get(`${staticFolder}/${name}`);
    if (file) await file.answer(request, reply);
    else await reply.redirect(currentOf([...this.files.keys()], name), 307);
  }

  private makePages(): ReadonlyMap<string, PublicFile> {
    const files = addressesOf(siteFiles());
    const { baseUrl } = this.options;
    const site = siteOf({ document: apiDocument(), baseUrl, files });
    return toFiles(new Map([['/', home(files)], ...site]));
  }
}

/**
 * The current address of a file that another release named. During a release, a page and its files may come from
 * different replicas.
 * @throws Problem 404
 */
function currentOf(addresses: readonly string[], name: string): string {
  const plain = (address: string): string => address.replace(/-[0-9a-f]{12}\./, '.');
  const current = addresses.find((one) => plain(one) === plain(`${staticFolder}/${name}`));
  if (current === undefined || plain(name) === name) throw new Problem(httpErrors.not_found);
  return current;
}

/** @throws Problem 404 */
function found(file: PublicFile | undefined): PublicFile {
  if (!file) throw new Problem(httpErrors.not_found);
  return file;
}

/** Needs, from the app's infrastructure: ApiDocsOptions. */
@Module({
  controllers: [DocsController],
  providers: pageAddresses.map((address) => ({
    provide: `${PageAddress.name} ${address}`,
    useValue: new PageAddress(address),
  })),
})
export class ApiDocsModule {}
