import { ProposeCorrection } from '#domain/corrections';
import { type Description } from '#records/people';
import { readCorrectionId } from '#desk/operators';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { type Viewer, viewerOf } from '../access/viewer.js';
import { FaultPage } from '../page/fault-page.js';
import { seeOtherPage, sendPage } from '../page/page.js';
import { actingAs } from './acting.js';
import { refusalText } from './correction-form.js';
import { CorrectionForms } from './correction-forms.js';
import { type FormErrors } from './decision-form.js';
import { correctionTermsRows, correctionPayment } from './fact-rows.js';
import { chooseMerchantPage, newCorrectionPage } from './new-correction-page.js';
import { correctionHref, type PageContext, queryOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';

/** The form that proposes a correction. */
@Controller('portal/corrections')
export class NewCorrectionController {
  constructor(
    private readonly forms: CorrectionForms,
    private readonly bus: CommandBus,
    private readonly contexts: PageContexts,
    private readonly refusals: Refusals,
  ) {}

  @Get('new')
  @Permits('corrections.decide')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const values = linked(queryOf(request));
    const page = await this.pageOf(values, viewerOf(request));
    if (page) sendPage(request, reply, page);
    else await this.choose(request, reply, '');
  }

  /** The search is a form, so that typed text is in no address and no log (POR-59). */
  @Post('new')
  @Permits('merchants.list')
  async search(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const text = (postedForm(request).get('text') ?? '').trim().slice(0, 100);
    await this.choose(request, reply, text);
  }

  /** Nothing moves before another operator confirms. */
  @Post()
  @Permits('corrections.decide', (sent, controller: NewCorrectionController) =>
    controller.describe(sent),
  )
  async propose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { texts } = this.contexts.of(viewer);
    const values = postedForm(request);
    const id = readCorrectionId(values.get('id') ?? '');
    if (!id.ok) this.refusals.refuse('not_found');
    const typed = await this.forms.read(values, texts);
    if (!typed.ok) throw await this.faultOf(typed.refusal, viewer);
    const terms = typed.value;
    const key = { mode: terms.mode, id: id.value };
    const metadata = actingAs(request, viewer, terms.why);
    const result = await this.bus.execute(new ProposeCorrection(key, terms, metadata));
    if (result.ok) {
      seeOtherPage(reply, `${correctionHref(key)}?done=correction_proposed`);
      return;
    }
    const summary = refusalText(result.refusal, terms, texts);
    throw await this.faultOf({ summary, fields: [], values }, viewer);
  }

  /**
   * Describes the entries and the terms as they were read from the form.
   * @throws Problem not_found; FaultPage with the form's errors; DependencyUnavailable
   */
  async describe({ form, viewer }: SentForm): Promise<Description> {
    const found = await this.forms.of(form);
    if (!found || !readCorrectionId(found.id).ok) this.refusals.refuse('not_found');
    const context = await this.contextOf(viewer, found.merchant.merchantId);
    const { texts } = context;
    const typed = await this.forms.read(form, texts);
    if (!typed.ok) throw await this.faultOf(typed.refusal, viewer);
    return {
      title: texts.corrections.propose,
      verb: 'propose',
      payment: correctionPayment(typed.value, context),
      rows: correctionTermsRows(typed.value, context),
    };
  }

  private contextOf(viewer: Viewer, merchantId: string): Promise<PageContext> {
    return this.contexts.naming(viewer, { merchants: [merchantId] });
  }

  private async faultOf(refused: FormErrors, viewer: Viewer): Promise<Error> {
    const page = await this.pageOf(refused.values, viewer, refused);
    return page ? new FaultPage(page) : this.refusals.refuse('not_found');
  }

  private async pageOf(values: URLSearchParams, viewer: Viewer, refused?: FormErrors) {
    const found = await this.forms.of(values);
    if (!found) return undefined;
    const context = this.contexts.of(viewer);
    return {
      title: context.texts.corrections.new,
      content: newCorrectionPage({ ...found, values, refused }, context),
      place: 'corrections',
      isDemo: found.mode === 'demo',
    } as const;
  }

  private async choose(request: FastifyRequest, reply: FastifyReply, text: string): Promise<void> {
    const context = this.contexts.of(viewerOf(request));
    const merchants = await this.forms.called(text);
    sendPage(request, reply, {
      title: context.texts.corrections.new,
      content: chooseMerchantPage({ text, merchants }, context),
      place: 'corrections',
    });
  }
}

/** The fields of the form that a link may fill in (POR-26). The reason and leave to overdraw are always typed. */
function linked(query: URLSearchParams): URLSearchParams {
  const names = ['merchant', 'mode', 'currency', 'legs', 'corrects'].map(
    (name) => `correction_${name}`,
  );
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)));
}
