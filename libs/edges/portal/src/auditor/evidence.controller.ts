import { Cases, itemStream, readForEver } from '#desk/operators';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { viewerOf } from '../access/viewer.js';
import { actingAs } from '../operator/acting.js';
import { PageContexts } from '../operator/page-contexts.js';
import { sendPage } from '../page/page.js';
import { type EvidenceForm, evidenceForm, evidencePage } from './evidence-page.js';
import { type PageContext, pageContextOf } from './page-context.js';
import { namedIn, notOneText } from './named-fields.js';
import { RetainedMessages } from './ports.js';

@Controller('portal/audit/evidence')
@Permits('evidence.open')
export class EvidenceController {
  constructor(
    private readonly cases: Cases,
    private readonly messages: RetainedMessages,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.sendForm(request, reply, { named: { reference: '' }, reason: '', errors: [] });
  }

  /** Answers with the opened messages and no redirect: the page shows them once, and no address leads to them. */
  @Post()
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const context = this.context(request);
    const form = postedForm(request);
    const [named, typed] = [namedIn(form), form.get('reason') ?? ''];
    const fail = (field: string, text: string): void => {
      this.sendForm(request, reply, { named, reason: typed, errors: [{ field, text }] });
    };
    const reason = readForEver(typed);
    if (!reason.ok) {
      fail('reason', context.texts.typed[reason.refusal]);
      return;
    }
    const found = await this.cases.load(named);
    if (!found.ok) {
      fail('reference', notOneText(found.refusal, context));
      return;
    }
    const metadata = actingAs(request, viewer, reason.value);
    const opened = await this.messages.open(itemStream(found.value), metadata);
    if (!opened.ok) {
      fail('reference', context.words.evidence[opened.refusal]);
      return;
    }
    sendPage(request, reply, {
      title: context.words.evidence.of(found.value.key.reference),
      content: evidencePage(opened.value, context),
      place: 'evidence',
    });
  }

  private sendForm(request: FastifyRequest, reply: FastifyReply, form: EvidenceForm): void {
    const context = this.context(request);
    const isWrong = form.errors.length > 0;
    sendPage(request, reply, {
      title: context.words.places.evidence,
      content: evidenceForm(form, context),
      place: 'evidence',
      ...(isWrong && { status: 422, isFault: true }),
    });
  }

  private context(request: FastifyRequest): PageContext {
    return pageContextOf(this.contexts.of(viewerOf(request)));
  }
}
