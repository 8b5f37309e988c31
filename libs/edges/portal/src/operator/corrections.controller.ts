import {
  ConfirmCorrection,
  correctionDecider,
  correctionStream,
  EndCorrection,
} from '#domain/corrections';
import { Pipeline } from '#domain/event-sourcing';
import { Clock, type Instant, instantFromMs, isMode, type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { listCorrections } from '#views/balances';
import { readCorrectionId } from '#desk/operators';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { type Description } from '#records/people';
import { actingFor } from './acting.js';
import {
  correctionPage,
  type CorrectionPage,
  correctionsPage,
  newCorrection,
} from './corrections-page.js';
import { readOwnReason } from './decision-form.js';
import { correctionPayment, correctionRows, filled, type FoundCorrection } from './fact-rows.js';
import { correctionHref, type PageContext, pageSize, queryOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { operatorTextsOf } from './texts-of.js';

/** Corrections as their pages need them. */
@Injectable()
export class Corrections {
  constructor(
    private readonly database: Database,
    private readonly pipeline: Pipeline,
    private readonly clock: Clock,
  ) {}

  list(onlyOpen: boolean, before: bigint | undefined): ReturnType<typeof listCorrections> {
    const behind = before === undefined ? {} : { before };
    return listCorrections(this.database, { open: onlyOpen, ...behind, limit: pageSize });
  }

  /**
   * Reads a correction from its own events, so it is never behind.
   * @returns undefined if there is none
   */
  async find(key: { readonly mode: Mode; readonly id: string }) {
    const stream = correctionStream(key);
    const { state, events } = await this.pipeline.load({ decider: correctionDecider, stream });
    const [proposed] = events;
    if (state.status === 'none' || !proposed) return undefined;
    return { correction: state, proposedAt: proposed.recordedAt };
  }

  now(): Instant {
    return instantFromMs(this.clock.nowMs());
  }
}

@Controller('portal/corrections')
export class CorrectionsController {
  constructor(
    private readonly corrections: Corrections,
    private readonly bus: CommandBus,
    private readonly contexts: PageContexts,
    private readonly refusals: Refusals,
  ) {}

  @Get()
  @Permits('corrections.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendList(request, reply);
  }

  @Get(':mode/:id')
  @Permits('corrections.see')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendOne(request, reply, await this.found(request));
  }

  /** A second operator agrees to exactly what they saw; safe to repeat. */
  @Post(':mode/:id/confirm')
  @Permits('corrections.decide', (sent, controller: CorrectionsController) =>
    controller.describeConfirmation(sent),
  )
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = operatorTextsOf(viewer);
    const values = postedForm(request);
    const found = await this.found(request);
    const { key } = found;
    const reason = readOwnReason(values, texts);
    if (!reason.ok) {
      await this.sendOne(request, reply, { ...found, refused: reason.refusal.text });
      return;
    }
    const metadata = actingFor(request, viewer, reason.value);
    const now = this.corrections.now();
    const result = await this.bus.execute(new ConfirmCorrection(key, metadata, now));
    if (result.ok) seeOtherPage(reply, `${correctionHref(key)}?done=correction_posted`);
    else
      await this.sendOne(request, reply, {
        ...found,
        refused: texts.corrections.refusals[result.refusal],
      });
  }

  /** Lets the proposer take the correction back (COR-9). */
  @Post(':mode/:id/withdraw')
  @Permits('corrections.decide', (sent, controller: CorrectionsController) =>
    controller.describeWithdrawal(sent),
  )
  async withdraw(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { corrections: words } = operatorTextsOf(viewer);
    const found = await this.found(request);
    const { key } = found;
    const metadata = actingFor(request, viewer, undefined);
    const now = this.corrections.now();
    const result = await this.bus.execute(new EndCorrection(key, 'withdrawn', now, metadata));
    if (result.ok) seeOtherPage(reply, `${correctionHref(key)}?done=withdrawn`);
    else
      await this.sendOne(request, reply, { ...found, refused: words.endRefusals[result.refusal] });
  }

  /**
   * Describes the correction from its own events.
   * @throws Problem not_found; DependencyUnavailable
   */
  async describeConfirmation({ request, form }: SentForm): Promise<Description> {
    const found = await this.found(request);
    const context = await this.context(request, found);
    const { texts } = context;
    const own = [texts.item.confirmReason, (form.get('own_reason') ?? '').trim()] as const;
    const rows = filled([...correctionRows(found, context), own]);
    const payment = correctionPayment(found.correction.proposal, context);
    return { title: texts.corrections.confirm, verb: 'confirm', payment, rows };
  }

  /** Describes the correction like `describeConfirmation`. */
  async describeWithdrawal({ request }: SentForm): Promise<Description> {
    const found = await this.found(request);
    const context = await this.context(request, found);
    const rows = correctionRows(found, context);
    return { title: context.texts.corrections.withdraw, verb: 'withdraw', rows };
  }

  private async found(request: FastifyRequest) {
    const { mode, id } = request.params as { readonly mode: string; readonly id: string };
    const typed = readCorrectionId(id);
    if (!isMode(mode) || !typed.ok) this.refusals.refuse('not_found');
    const key = { mode, id: typed.value };
    const found = await this.corrections.find(key);
    return found ? { key, ...found } : this.refusals.refuse('not_found');
  }

  private async sendOne(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: CorrectionPage,
  ): Promise<void> {
    const { correction } = shown;
    const confirmedBy = correction.status === 'posted' ? correction.confirmedBy : undefined;
    const context = await this.context(request, shown, confirmedBy);
    const done: Readonly<Record<string, string>> = context.texts.done;
    sendPage(request, reply, {
      title: `${context.texts.corrections.title1} ${shown.key.id.slice(0, 8)}`,
      content: correctionPage(shown, context),
      place: 'corrections',
      done: shown.refused === undefined ? done[doneOf(request) ?? ''] : undefined,
      status: shown.refused === undefined ? 200 : 422,
    });
  }

  private async sendList(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const query = queryOf(request);
    const onlyOpen = query.get('open') === 'on';
    const before = query.get('before') ?? '';
    const listed = await this.corrections.list(
      onlyOpen,
      /^\d{1,18}$/.test(before) ? BigInt(before) : undefined,
    );
    const context = await this.contexts.naming(viewerOf(request), {
      people: listed.corrections.flatMap(({ proposedBy, confirmedBy }) => [
        proposedBy,
        confirmedBy ?? undefined,
      ]),
      merchants: listed.corrections.map(({ merchantId }) => merchantId),
    });
    sendPage(request, reply, {
      title: context.texts.corrections.title,
      actions: newCorrection(context),
      content: correctionsPage({ listed, onlyOpen }, context),
      place: 'corrections',
    });
  }

  private context(
    request: FastifyRequest,
    { correction: { proposal } }: FoundCorrection,
    confirmedBy?: string,
  ): Promise<PageContext> {
    return this.contexts.naming(viewerOf(request), {
      people: [proposal.proposedBy, confirmedBy],
      merchants: [proposal.merchantId],
    });
  }
}
