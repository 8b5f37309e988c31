import {
  ConfirmCorrection,
  correctionDecider,
  correctionStream,
  type CorrectionTerms,
  EndCorrection,
  ProposeCorrection,
} from '#domain/corrections';
import { Pipeline } from '#domain/event-sourcing';
import { Clock, Ids, type Instant, instantFromMs, isMode, type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { Database } from '#infra/postgres';
import { listCorrections } from '#views/balances';
import { readCorrectionId, readForEver, readLeg, readReceipt } from '#desk/operators';
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
import { actingAs, actingFor } from './acting.js';
import { correctionPage, type CorrectionPage, correctionsPage } from './corrections-page.js';
import { type FormErrors, readOwnReason, Typed } from './decision-form.js';
import { correctionRows, filled, type FoundCorrection, typedCorrectionRows } from './fact-rows.js';
import { correctionHref, type PageContext, pageSize, queryOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { operatorTextsOf } from './texts-of.js';

/** Corrections as their pages need them. */
@Injectable()
export class Corrections {
  constructor(
    private readonly database: Database,
    private readonly pipeline: Pipeline,
    private readonly ids: Ids,
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

  newId(): string {
    return this.ids.next();
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

  /** Nothing moves before another operator confirms. */
  @Post()
  @Permits('corrections.decide', (sent, controller: CorrectionsController) =>
    controller.describeProposal(sent),
  )
  async propose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = operatorTextsOf(viewer);
    const values = postedForm(request);
    const id = readCorrectionId(values.get('id') ?? '');
    if (!id.ok) this.refusals.refuse('not_found');
    const typed = readTerms(values, texts);
    if ('fields' in typed) return this.sendList(request, reply, typed);
    const key = { mode: typed.mode, id: id.value };
    const metadata = actingAs(request, viewer, typed.why);
    const result = await this.bus.execute(new ProposeCorrection(key, typed, metadata));
    if (result.ok) {
      seeOtherPage(reply, `${correctionHref(key)}?done=correction_proposed`);
      return;
    }
    const summary = texts.corrections.refusals[result.refusal];
    return this.sendList(request, reply, { summary, fields: [], values });
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

  /** Describes the proposal as it was typed, with the merchant's name if the id is known. */
  async describeProposal({ form, viewer }: SentForm): Promise<Description> {
    const merchants = [(form.get('correction_merchant') ?? '').trim()];
    const context = await this.contexts.naming(viewer, { merchants });
    return { title: context.texts.corrections.propose, rows: typedCorrectionRows(form, context) };
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
    return { title: texts.corrections.confirm, rows };
  }

  /** Describes the correction like `describeConfirmation`. */
  async describeWithdrawal({ request }: SentForm): Promise<Description> {
    const found = await this.found(request);
    const context = await this.context(request, found);
    const rows = correctionRows(found, context);
    return { title: context.texts.corrections.withdraw, rows };
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

  private async sendList(
    request: FastifyRequest,
    reply: FastifyReply,
    refused?: FormErrors,
  ): Promise<void> {
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
    const id = refused?.values.get('id') ?? this.corrections.newId();
    sendPage(request, reply, {
      title: context.texts.corrections.title,
      content: correctionsPage(
        { listed, onlyOpen, id, refused, values: refused?.values ?? prefilled(query) },
        context,
      ),
      place: 'corrections',
      status: refused ? 422 : 200,
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

/** The fields of the form that a link may fill in (POR-26). The reason and leave to overdraw are always typed. */
function prefilled(query: URLSearchParams): URLSearchParams {
  const names = ['merchant', 'mode', 'currency', 'legs', 'corrects'].map(
    (name) => `correction_${name}`,
  );
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)));
}

function readTerms(
  values: URLSearchParams,
  texts: PageContext['texts'],
): CorrectionTerms | FormErrors {
  const typed = new Typed('correction', values, texts);
  const said = (name: string): string => (values.get(`correction_${name}`) ?? '').trim();
  const why = typed.read('reason', readForEver);
  const receipt = typed.readIfAny('receipt', readReceipt);
  const legs = readLegs(typed, said('legs'), texts);
  const [merchantId, mode, currency, corrects] = [
    said('merchant'),
    said('mode'),
    said('currency'),
    said('corrects'),
  ];
  if (merchantId === '') typed.wrong('merchant', texts.missing);
  if (!/^[A-Z]{3}$/.test(currency)) typed.wrong('currency', texts.corrections.wrongCurrency);
  if (!isMode(mode)) typed.wrong('mode', texts.corrections.wrongMode);
  if (typed.errors.length > 0 || why === undefined || !isMode(mode))
    return { fields: typed.errors, values };
  return {
    merchantId,
    mode,
    currency,
    legs,
    why,
    ...(corrects === '' ? {} : { corrects }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(said('may_overdraw') === 'on' ? { mayOverdraw: true as const } : {}),
  };
}

function readLegs(typed: Typed, text: string, texts: PageContext['texts']): readonly Leg[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const legs = lines.flatMap((line) => {
    const leg = readLeg(line);
    return leg.ok ? [leg.value] : [];
  });
  if (lines.length === 0) typed.wrong('legs', texts.missing);
  else if (legs.length < lines.length) typed.wrong('legs', texts.typed.leg_form);
  return legs;
}
