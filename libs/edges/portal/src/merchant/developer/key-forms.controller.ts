import { areWithin, issueCredential, RevokeCredential, setIpList } from '#domain/merchants';
import { Propose } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { type Description } from '#records/people';
import { html } from '#shared/html';
import { listOwnCredentials, type OwnCredential } from '#views/merchants';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { type SentForm } from '../../access/presence.js';
import { type Viewer, viewerOf } from '../../access/viewer.js';
import { actingAs } from '../../operator/acting.js';
import { clockOf } from '../../page/clock-of.js';
import { FaultPage } from '../../page/fault-page.js';
import { seeOtherPage, sendPage } from '../../page/page.js';
import { notFound, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { placeRows, secretPage } from './change-parts.js';
import { type KeyForm, keyPage, newKeyPage } from './key-forms-page.js';
import { KeyTools } from './key-form-reader.js';
import { maxCredentials } from './own-credentials.js';
import { type FieldErrors } from './typed-form.js';

/** A request about the place's credentials. */
interface Asked {
  readonly request: FastifyRequest;
  readonly values: URLSearchParams;
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
  readonly place: Place;
}

/** Forms with which a merchant's owner issues, narrows and revokes credentials; POR-93 to POR-95. */
@Controller('portal/merchants/:merchantId/:mode/keys')
export class KeyFormsController {
  constructor(
    private readonly places: Places,
    private readonly database: Database,
    private readonly bus: CommandBus,
    private readonly tools: KeyTools,
  ) {}

  @Get('new')
  @Permits('keys.change')
  async showNew(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request);
    sendPage(request, reply, pageOfNew(asked));
  }

  @Post('new')
  @Permits('keys.change', (sent, controller: KeyFormsController) => controller.describeNew(sent))
  async issue(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request);
    const { place, texts, viewer } = asked;
    const { reason, ...typed } = this.readNew(asked);
    const { merchantId, mode } = place;
    const details = { merchantId, mode, ...typed };
    if (mode === 'live' && mustAsk(asked)) {
      const stored = await this.tools.desk.ask(
        { kind: 'credential', details: { ...details, mode } },
        { viewer, reason },
      );
      if (!stored.ok)
        throw new FaultPage(pageOfNew(asked, refusedIn('new', stored.refusal, texts)));
      seeOtherPage(reply, `${place.base}/keys?done=request_sent`);
      return;
    }
    const metadata = actingAs(request, viewer, reason);
    const result = await this.bus.execute(new Propose(issueCredential, details, metadata));
    if (!result.ok) throw new FaultPage(pageOfNew(asked, refusedIn('new', result.refusal, texts)));
    if (result.value.kind === 'proposed' || result.value.value === undefined) {
      seeOtherPage(reply, `${place.base}/keys?done=key_proposed`);
      return;
    }
    const { clientId, clientSecret } = result.value.value;
    const { keys: words } = texts.developer;
    sendPage(request, reply, {
      title: texts.developer.secretTitle,
      place: 'keys',
      content: secretPage(
        [
          [texts.keys.name, clientId],
          [words.clientSecret, clientSecret],
        ],
        { texts, back: html`<a href="${place.base}/keys">${words.back}</a>` },
      ),
    });
  }

  @Get(':id')
  @Permits('keys.change')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request);
    sendPage(request, reply, this.pageOfOne(asked, await this.find(asked)));
  }

  @Post(':id/ips')
  @Permits('keys.change', (sent, controller: KeyFormsController) => controller.describeIps(sent))
  async setIps(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request);
    const { place, texts, viewer } = asked;
    const credential = await this.find(asked);
    const { ipRanges, reason, isWider } = this.readIps(asked, credential);
    const { credentialId } = credential;
    const details = { merchantId: place.merchantId, credentialId, ipRanges };
    if (isWider && mustAsk(asked)) {
      const stored = await this.tools.desk.ask({ kind: 'ip_list', details }, { viewer, reason });
      if (!stored.ok)
        throw new FaultPage(
          this.pageOfOne(asked, credential, refusedIn('ips', stored.refusal, texts)),
        );
      seeOtherPage(reply, `${place.base}/keys?done=request_sent`);
      return;
    }
    const metadata = actingAs(request, viewer, reason);
    const result = await this.bus.execute(new Propose(setIpList, details, metadata));
    if (!result.ok)
      throw new FaultPage(
        this.pageOfOne(asked, credential, refusedIn('ips', result.refusal, texts)),
      );
    const done = result.value.kind === 'done' ? 'ips_set' : 'key_proposed';
    seeOtherPage(reply, `${place.base}/keys?done=${done}`);
  }

  @Post(':id/revoke')
  @Permits('keys.change', (sent, controller: KeyFormsController) =>
    controller.describeRevocation(sent),
  )
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request);
    const { place, viewer } = asked;
    const credential = await this.find(asked);
    const { isCompromised, reason } = this.readRevocation(asked, credential);
    const details = {
      merchantId: place.merchantId,
      credentialId: credential.credentialId,
      ...(isCompromised && { isCompromised: true as const }),
    };
    const metadata = actingAs(request, viewer, reason);
    const result = await this.bus.execute(new RevokeCredential(details, metadata));
    if (!result.ok) throw notFound();
    seeOtherPage(reply, `${place.base}/keys?done=key_revoked`);
  }

  async describeNew({ request, form }: SentForm): Promise<Description> {
    const asked = await this.asked(request, form);
    const { texts, place } = asked;
    const { holder, publicKey, ipRanges, expiresAt, reason } = this.readNew(asked);
    const { access, keys: words } = texts.developer;
    const asks = mustAsk(asked);
    return {
      title: asks ? access.kinds.credential : words.add,
      rows: [
        ...placeRows(place, texts),
        [texts.keys.holder, holder],
        [texts.keys.fingerprint, publicKey.fingerprint],
        [texts.keys.addresses, ipRanges.join(', ')],
        ...(expiresAt === undefined ? [] : [[texts.keys.expires, expiresAt] as const]),
        [texts.developer.reason, reason],
        ...(asks ? [[access.next, access.decided] as const] : []),
      ],
    };
  }

  async describeIps({ request, form }: SentForm): Promise<Description> {
    const asked = await this.asked(request, form);
    const { texts } = asked;
    const { developer: words, keys } = texts;
    const credential = await this.find(asked);
    const { ipRanges, reason, isWider } = this.readIps(asked, credential);
    const asks = isWider && mustAsk(asked);
    return {
      title: asks ? words.access.kinds.ip_list : words.keys.saveIps,
      rows: [
        ...credentialRows(asked, credential),
        [`${keys.addresses} (${words.before})`, (credential.ipRanges ?? []).join(', ')],
        [`${keys.addresses} (${words.after})`, ipRanges.join(', ')],
        [words.reason, reason],
        ...(asks ? [[words.access.next, words.access.decided] as const] : []),
      ],
    };
  }

  async describeRevocation({ request, form }: SentForm): Promise<Description> {
    const asked = await this.asked(request, form);
    const { developer: words } = asked.texts;
    const credential = await this.find(asked);
    const { isCompromised, reason } = this.readRevocation(asked, credential);
    return {
      title: words.keys.revoke,
      rows: [
        ...credentialRows(asked, credential),
        ...(isCompromised ? [[words.keys.compromised, '✓'] as const] : []),
        [words.reason, reason],
      ],
    };
  }

  /** @throws Problem not_found; DependencyUnavailable */
  private async asked(
    request: FastifyRequest,
    values: URLSearchParams = postedForm(request),
  ): Promise<Asked> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    return { request, values, viewer, texts: merchantTexts(viewer), place };
  }

  /** Finds the place's own credential that is in use. @throws Problem not_found; DependencyUnavailable */
  private async find({ request, place }: Asked): Promise<OwnCredential> {
    const { id } = request.params as Partial<Record<string, string>>;
    const own = await listOwnCredentials(this.database, place, maxCredentials);
    const found = own.find(({ credentialId, revoked }) => credentialId === id && !revoked);
    if (!found) throw notFound();
    return found;
  }

  /** @throws FaultPage */
  private readNew(asked: Asked) {
    const { values, place, texts } = asked;
    const read = this.tools.reader.newKey(values, { mode: place.mode, texts });
    if ('errors' in read) throw new FaultPage(pageOfNew(asked, { form: 'new', ...read }));
    return read;
  }

  private readIps(asked: Asked, credential: OwnCredential) {
    const { values, place, texts } = asked;
    const now = credential.ipRanges;
    if (now === null) throw notFound();
    const read = this.tools.reader.ips(values, { mode: place.mode, texts });
    if ('errors' in read)
      throw new FaultPage(this.pageOfOne(asked, credential, { form: 'ips', ...read }));
    return { ...read, isWider: place.mode === 'live' && !areWithin(read.ipRanges, now) };
  }

  private pageOfOne(
    { place, viewer, texts, values }: Asked,
    credential: OwnCredential,
    wrong?: Wrong,
  ) {
    const sent = wrong && { ...wrong, values };
    const now = new Date(this.tools.clock.nowMs());
    const clock = clockOf(place, viewer, now.getTime());
    return {
      title: texts.developer.keys.title(credential.name),
      place: 'keys',
      content: keyPage({ place, credential, sent, now, clock }, { viewer, texts }),
    };
  }

  private readRevocation(asked: Asked, credential: OwnCredential) {
    const read = this.tools.reader.revocation(asked.values, asked.texts);
    if ('errors' in read)
      throw new FaultPage(this.pageOfOne(asked, credential, { form: 'revoke', ...read }));
    return read;
  }
}

interface Wrong {
  readonly form: KeyForm;
  readonly errors: FieldErrors;
}

/**
 * True if the viewer asks PesaPost's admins for what takes two of them: a live credential, or a wider live list (PEO-30).
 * An admin proposes it instead.
 */
function mustAsk({ place, viewer }: Pick<Asked, 'place' | 'viewer'>): boolean {
  return place.mode === 'live' && !viewer.roles.some(({ role }) => role === 'admin');
}

function pageOfNew(asked: Asked, wrong?: Wrong) {
  const { place, viewer, texts, values } = asked;
  const sent = wrong && { ...wrong, values };
  return {
    title: mustAsk(asked) ? texts.developer.access.kinds.credential : texts.developer.keys.add,
    place: 'keys',
    content: newKeyPage({ place, asks: mustAsk(asked), sent }, { viewer, texts }),
  };
}

function credentialRows(
  { place, texts }: Asked,
  { name, holder }: OwnCredential,
): Description['rows'] {
  return [...placeRows(place, texts), [texts.keys.name, name], [texts.keys.holder, holder]];
}

/** The error of a command or a request at the field that it is about. */
function refusedIn(form: KeyForm, refusal: string, { developer }: MerchantTexts): Wrong {
  const fields: Readonly<Partial<Record<string, string>>> = {
    key_taken: 'public_key',
    similar_holder: 'holder',
  };
  const field = fields[refusal] ?? (form === 'ips' ? 'ips' : 'reason');
  const words: Readonly<Record<string, string>> = {
    ...developer.keys.refusals,
    ...developer.access.refusals,
  };
  return { form, errors: { [field]: words[refusal] ?? refusal } };
}
