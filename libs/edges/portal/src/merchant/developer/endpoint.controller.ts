import { type WebhookChange, SetWebhookEndpoint, type WebhookKind } from '#domain/merchants';
import { readEndpointUrl } from '#desk/operators';
import { Database } from '#infra/postgres';
import { type Description } from '#records/people';
import { listFailureContacts, setFailureContact } from '#records/webhooks';
import { rawQuery } from '#shared/http';
import { findWebhookEndpoint, type WebhookEndpoint, webhookTypes } from '#views/webhook-outbox';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { type SentForm } from '../../access/presence.js';
import { type Viewer, viewerOf } from '../../access/viewer.js';
import { actingAs, actingFor } from '../../operator/acting.js';
import { FaultPage } from '../../page/fault-page.js';
import { seeOtherPage, sendPage } from '../../page/page.js';
import { html } from '#shared/html';
import { notFound, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { placeRows, secretPage } from './change-parts.js';
import { readFailureAddress } from './failure-address.js';
import { type EndpointForm, endpointPage, type EndpointModel } from './endpoint-page.js';
import { EndpointTools } from './ports.js';
import { TypedForm } from './typed-form.js';

/** A form about an endpoint that can be carried out. */
interface FitForm {
  readonly place: Place;
  readonly kind: WebhookKind;
  readonly endpoint: WebhookEndpoint | undefined;
  readonly change: WebhookChange;
  readonly failuresTo: string | undefined;
  /** The address in the form that sets the endpoint; undefined for none. */
  readonly newAddress: string | undefined;
  readonly sendsMail: boolean;
  readonly reason: string;
  readonly texts: MerchantTexts;
}

const describedAs =
  (change: EndpointForm) =>
  (sent: SentForm, controller: EndpointController): Promise<Description> =>
    controller.describe(change, sent);

/** Forms with which a merchant's people change their endpoint; they end in the command line's own command (POR-90). */
@Controller('portal/merchants/:merchantId/:mode/webhooks/endpoint')
export class EndpointController {
  constructor(
    private readonly places: Places,
    private readonly database: Database,
    private readonly bus: CommandBus,
    private readonly tools: EndpointTools,
  ) {}

  @Get()
  @Permits('webhooks.change')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const found = await this.find(
      place,
      new URLSearchParams(rawQuery(request)).get('kind') ?? 'v4',
    );
    sendPage(request, reply, pageOf({ place, ...found }, viewerOf(request)));
  }

  @Post('set')
  @Permits('webhooks.change', describedAs('set'))
  set(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.change('set', request, reply);
  }

  @Post('rotate')
  @Permits('webhooks.change', describedAs('rotate'))
  rotate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.change('rotate', request, reply);
  }

  @Post('disable')
  @Permits('webhooks.change', describedAs('disable'))
  disable(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.change('disable', request, reply);
  }

  @Post('enable')
  @Permits('webhooks.change', describedAs('enable'))
  enable(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.change('enable', request, reply);
  }

  /** Sends a sample to the demo endpoint. It changes nothing, so it takes no proof of presence. */
  @Post('test')
  @Permits('webhooks.resend')
  async test(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const posted = postedForm(request);
    const found = await this.find(place, posted.get('kind'));
    const { kind, endpoint } = found;
    const type = webhookTypes.find((one) => one === posted.get('type'));
    if (!endpoint || !type || place.mode !== 'demo') throw notFound();
    const by = actingFor(request, viewer, undefined);
    const { merchantId } = place;
    const tested = await this.tools.tests.send({ merchantId, kind, type }, by);
    sendPage(request, reply, pageOf({ place, ...found, tested }, viewer));
  }

  /**
   * Describes the change by the endpoint as it is.
   * @throws Problem not_found; FaultPage; DependencyUnavailable
   */
  async describe(form: EndpointForm, { request, form: values }: SentForm): Promise<Description> {
    const fit = await this.read(form, request, values);
    const { place, kind, endpoint, change, newAddress, reason, texts } = fit;
    const { developer: words } = texts;
    const { endpoint: own } = words;
    const url =
      change.to === 'set'
        ? ([
            [`${own.urlLabel} (${words.before})`, endpoint?.url ?? texts.common.none],
            [`${own.urlLabel} (${words.after})`, change.url],
            ...(change.standardHeaders ? [[own.standard, '✓'] as const] : []),
            [own.failuresTo, newAddress ?? texts.common.none],
          ] as const)
        : ([[own.urlLabel, endpoint?.url ?? '']] as const);
    return {
      title: titleOf(form, endpoint, texts),
      rows: [
        ...placeRows(place, texts),
        [texts.webhooks.kind, kind],
        ...url,
        [words.reason, reason],
      ],
    };
  }

  private async change(
    form: EndpointForm,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const fit = await this.read(form, request, postedForm(request));
    const { place, kind, change, reason, texts } = fit;
    const { merchantId, mode } = place;
    const metadata = actingAs(request, viewer, reason);
    // Before the command, because its answer shows a new secret once.
    if (form === 'set')
      await setFailureContact(
        this.database,
        { merchantId, mode, kind },
        fit.newAddress,
        metadata.actor.id,
      );
    const result = await this.bus.execute(
      new SetWebhookEndpoint({ merchantId, mode, kind }, change, metadata),
    );
    if (!result.ok) throw result.refusal === 'endpoint_changed' ? changed(fit, viewer) : notFound();
    const { endpoint: words } = texts.developer;
    const secret = result.value;
    if (secret === undefined) {
      const done = {
        set: 'endpoint_set',
        rotate: 'secret_kept',
        disable: 'endpoint_disabled',
        enable: 'endpoint_enabled',
      }[form];
      seeOtherPage(reply, `${place.base}/webhooks?done=${done}`);
      return;
    }
    const isStandard = change.to === 'set' ? change.standardHeaders : fit.endpoint?.standardHeaders;
    sendPage(request, reply, {
      title: texts.developer.secretTitle,
      place: 'webhooks',
      content: secretPage(
        [
          [words.secret, secret],
          ...(isStandard === true ? [[words.standardSecret, standardSecret(secret)] as const] : []),
        ],
        { texts, back: html`<a href="${place.base}/webhooks">${words.back}</a>` },
      ),
    });
  }

  /**
   * Reads a form about an endpoint of the place.
   * @throws Problem not_found; FaultPage, with what was typed; DependencyUnavailable
   */
  private async read(
    form: EndpointForm,
    request: FastifyRequest,
    values: URLSearchParams,
  ): Promise<FitForm> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const found = await this.find(place, values.get('kind'));
    const { kind, endpoint } = found;
    if (form !== 'set' && (!endpoint || (form === 'rotate' && kind === 'v3'))) throw notFound();
    const typed = new TypedForm(values);
    const change = this.changeIn(form, typed, texts);
    const newAddress =
      form === 'set'
        ? typed.read('failures_to', readFailureAddress, texts.developer.endpoint.addressProblems)
        : undefined;
    const reason = typed.reason(texts.developer);
    if (!change || reason === undefined || !typed.isFit) {
      const sent = { form, values, errors: typed.errors };
      throw new FaultPage(pageOf({ place, ...found, sent }, viewer));
    }
    const fit = { place, ...found, change, newAddress, reason, texts };
    // A form about an endpoint with another URL was made before somebody changed it.
    if (form !== 'set' && typed.text('seen') !== endpoint?.url) throw changed(fit, viewer);
    return fit;
  }

  private changeIn(
    form: EndpointForm,
    typed: TypedForm,
    texts: MerchantTexts,
  ): WebhookChange | undefined {
    switch (form) {
      case 'set': {
        const url = typed.read(
          'url',
          (text) => readEndpointUrl(text, this.tools.options.allowsPrivateUrls),
          texts.developer.endpoint.urlProblems,
        );
        const standardHeaders = typed.text('standard') === 'on';
        return url === undefined ? undefined : { to: 'set', url, standardHeaders };
      }
      case 'disable':
        return { to: 'disable', url: typed.text('seen') };
      case 'rotate':
      case 'enable':
        return { to: form };
    }
  }

  /**
   * Finds the place's endpoint of a kind. People cannot add one in V3's words, because V3 ends.
   * @throws Problem not_found; DependencyUnavailable
   */
  private async find({ merchantId, mode }: Place, kind: string | null) {
    if (kind !== 'v4' && kind !== 'v3') throw notFound();
    const endpoint = await findWebhookEndpoint(this.database, { merchantId, mode, kind });
    if (kind === 'v3' && !endpoint) throw notFound();
    const contacts = await listFailureContacts(this.database, { merchantId, mode });
    const { sendsMail } = this.tools.options;
    return { kind, endpoint, failuresTo: contacts.get(kind), sendsMail } as const;
  }
}

function pageOf(model: EndpointModel, viewer: Viewer) {
  const texts = merchantTexts(viewer);
  return {
    title: texts.developer.endpoint.title(model.kind.toUpperCase()),
    place: 'webhooks',
    content: endpointPage(model, { viewer, texts }),
  };
}

function titleOf(
  form: EndpointForm,
  endpoint: WebhookEndpoint | undefined,
  { developer: { endpoint: words } }: MerchantTexts,
): string {
  if (form !== 'set') return words[form];
  return endpoint ? words.save : words.add;
}

/** The page after somebody else changed the endpoint meanwhile. */
function changed(fit: FitForm, viewer: Viewer): FaultPage {
  const { texts, change: _change, newAddress: _address, reason: _reason, ...model } = fit;
  const errors = { url: texts.developer.changed };
  const sent = { form: 'set', values: new URLSearchParams(), errors } as const;
  return new FaultPage(pageOf({ ...model, sent }, viewer), 409);
}

/** The secret in the form that the libraries of standard-webhooks take. */
function standardSecret(secret: string): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
