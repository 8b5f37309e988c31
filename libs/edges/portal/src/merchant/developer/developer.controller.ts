import { readV3Readiness } from '#records/v3-usage';
import { Clock } from '#domain/kernel';
import { permits } from '#domain/people';
import { Database } from '#infra/postgres';
import { html } from '#shared/html';
import { rawQuery } from '#shared/http';
import { parsePublicKey, verifyV4 } from '#shared/signing';
import { listOwnCredentials } from '#views/merchants';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { doneOf, sendPage } from '../../page/page.js';
import { AccessDesk } from '../access/access-desk.js';
import { type Place, Places } from '../place.js';
import { MerchantPagesOptions } from '../options.js';
import { readCallsQuery } from '../requests/calls-query.js';
import { requestsPage } from '../requests/requests-page.js';
import { merchantTexts } from '../texts-of.js';
import { clockOf } from '../../page/clock-of.js';
import { keysActions, type KeysModel, keysPage } from './keys-page.js';
import { debugSignature, type Pasted } from './signature.js';
import {
  exampleQuery,
  exampleRequest,
  signaturePage,
  type SignatureModel,
} from './signature-page.js';
import { maxCredentials, OwnCredentials } from './own-credentials.js';
import { v3Page } from './v3-page.js';

/** Calls on a page. */
const callsOfPage = 50;

@Controller('portal/merchants/:merchantId/:mode')
export class KeysController {
  constructor(
    private readonly places: Places,
    private readonly own: OwnCredentials,
    private readonly clock: Clock,
    private readonly desk: AccessDesk,
  ) {}

  @Get('keys')
  @Permits('keys.see')
  async keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const credentials = await this.own.list(place);
    const lastUses = await this.own.calls.lastUses(
      credentials.map(({ credentialId }) => credentialId),
    );
    const now = new Date(this.clock.nowMs());
    const clock = clockOf(place, viewer, now.getTime());
    const mayChange = permits(viewer.roles, 'keys.change', place.merchantId);
    const { keys: words, access } = texts.developer;
    const told: Readonly<Record<string, string>> = { ...words.done, ...access.done };
    const requests = await this.desk.list(place, 'credential', 'ip_list');
    const askers = requests.map(({ askedBy }) => askedBy);
    const names = await this.places.people.called(place.merchantId, askers);
    const model: KeysModel = {
      place,
      clock,
      credentials,
      lastUses,
      now,
      mayChange,
      requests,
      names,
    };
    sendPage(request, reply, {
      title: texts.sections.keys,
      place: 'keys',
      actions: keysActions(model, texts),
      content: keysPage(model, { viewer, texts }),
      done: told[doneOf(request) ?? ''],
    });
  }

  @Get('requests')
  @Permits('requests.see')
  async requests(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const credentials = await this.own.list(place);
    const ids = credentials.map(({ credentialId }) => credentialId);
    const query = readCallsQuery(new URLSearchParams(rawQuery(request)), ids);
    const { credentialId, before, ...filters } = query;
    const matched = {
      ...filters,
      credentialIds: credentialId === undefined ? ids : [credentialId],
    };
    const [found, count] = await Promise.all([
      this.own.calls.list({
        ...matched,
        ...(before !== undefined && { before }),
        limit: callsOfPage + 1,
      }),
      this.own.calls.count(matched),
    ]);
    const calls = found.slice(0, callsOfPage);
    const next = found.length > callsOfPage ? calls.at(-1)?.id : undefined;
    const clock = clockOf(place, viewer, this.clock.nowMs());
    const model = { place, clock, credentials, query, calls, count, next };
    sendPage(request, reply, {
      title: query.onlyRefused ? texts.requests.errorsTitle : texts.sections.requests,
      place: 'requests',
      // An empty list has the same link in its middle.
      actions:
        calls.length === 0
          ? undefined
          : html`<a class="button secondary" href="/docs/errors">${texts.requests.meanings}</a>`,
      content: requestsPage(model, { viewer, texts }),
    });
  }
}

@Controller('portal/merchants/:merchantId/:mode')
@Permits('requests.see')
export class ToolsController {
  constructor(
    private readonly places: Places,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: MerchantPagesOptions,
  ) {}

  @Get('signature')
  async signature(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const raw = rawQuery(request) === exampleQuery ? exampleRequest : '';
    const pasted = pastedIn(new URLSearchParams({ raw }));
    this.showSignature(request, reply, { place, pasted, found: undefined, verifiedBy: undefined });
  }

  /** Answers at once and keeps nothing: no row and no log line has what was pasted (POR-22). */
  @Post('signature')
  async debug(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const pasted = pastedIn(postedForm(request));
    const found = debugSignature(pasted);
    const signature = 'lines' in found ? found.signature : undefined;
    const verifiedBy =
      'lines' in found && signature !== undefined
        ? await this.signerOf(place, found.text, signature)
        : undefined;
    this.showSignature(request, reply, { place, pasted, found, verifiedBy });
  }

  @Get('v3')
  async v3(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const { merchantId } = await this.places.of(request);
    const readiness = await readV3Readiness(
      this.database,
      { now: this.clock.now(), gaDate: this.options.v4GaDate },
      merchantId,
    );
    sendPage(request, reply, {
      title: texts.sections.v3,
      place: 'v3',
      content: v3Page(readiness, { viewer, texts }),
    });
  }

  /** @returns the merchant's own credential whose key made the signature, or null if none did */
  private async signerOf(place: Place, text: string, signature: string): Promise<string | null> {
    const credentials = await listOwnCredentials(this.database, place, maxCredentials);
    const signer = credentials.find(({ kind, revoked, publicKeyPem }) => {
      if (kind !== 'v4' || revoked || publicKeyPem === null) return false;
      const key = parsePublicKey(publicKeyPem);
      return key.ok && verifyV4(key.value.key, text, signature);
    });
    return signer?.name ?? null;
  }

  private showSignature(request: FastifyRequest, reply: FastifyReply, model: SignatureModel): void {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const isFault = model.found !== undefined && 'kind' in model.found;
    sendPage(request, reply, {
      title: texts.sections.signature,
      place: 'signature',
      content: signaturePage(model, { viewer, texts }),
      ...(isFault && { status: 422, isFault }),
    });
  }
}

function pastedIn(posted: URLSearchParams): Pasted {
  const of = (name: keyof Pasted): string => posted.get(name) ?? '';
  return {
    raw: of('raw'),
    method: of('method'),
    path: of('path'),
    query: of('query'),
    body: of('body'),
    headers: of('headers'),
    theirs: of('theirs'),
  };
}
