import { Cases, itemStream, readForEver } from '#views/cases';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { viewerOf } from '../access/viewer.js';
import { actingAs } from '../operator/acting.js';
import { sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { type EvidenceForm, evidenceForm, evidencePage } from './evidence-page.js';
import { type Look, lookOf } from './look.js';
import { namedIn, notOneText } from './named-fields.js';
import { RetainedMessages } from './ports.js';

@Controller('portal/audit/evidence')
@Permits('evidence.open')
export class EvidenceController {
  constructor(
    private readonly cases: Cases,
    private readonly messages: RetainedMessages,
    private readonly options: PortalOptions,
  ) {}

  @Get()
  ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.sendForm(request, reply, { named: { reference: '' }, reason: '', errors: [] });
  }

  /** Answers with the opened messages and no redirect: the page shows them once, and no address leads to them. */
  @Post()
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const look = this.look(request);
    const form = postedForm(request);
    const [named, typed] = [namedIn(form), form.get('reason') ?? ''];
    const fail = (field: string, text: string): void => {
      this.sendForm(request, reply, { named, reason: typed, errors: [{ field, text }] });
    };
    const reason = readForEver(typed);
    if (!reason.ok) {
      fail('reason', look.texts.typed[reason.refusal]);
      return;
    }
    const found = await this.cases.load(named);
    if (!found.ok) {
      fail('reference', notOneText(found.refusal, look));
      return;
    }
    const metadata = actingAs(request, viewer, reason.value);
    const opened = await this.messages.open(itemStream(found.value), metadata);
    if (!opened.ok) {
      fail('reference', look.words.evidence[opened.refusal]);
      return;
    }
    sendPage(request, reply, {
      title: look.words.evidence.of(found.value.key.reference),
      content: evidencePage(opened.value, look),
      place: 'evidence',
    });
  }

  private sendForm(request: FastifyRequest, reply: FastifyReply, form: EvidenceForm): void {
    const look = this.look(request);
    const isWrong = form.errors.length > 0;
    sendPage(request, reply, {
      title: look.words.places.evidence,
      content: evidenceForm(form, look),
      place: 'evidence',
      ...(isWrong && { status: 422, isFault: true }),
    });
  }

  private look(request: FastifyRequest): Look {
    return lookOf(viewerOf(request), this.options.timezone);
  }
}
