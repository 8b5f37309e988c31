import { readForEver } from '#desk/operators';
import { personId } from '#domain/people';
import { type Description } from '#records/people';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { FaultPage } from '../page/fault-page.js';
import { seeOtherPage } from '../page/page.js';
import { timeText } from '../page/parts.js';
import { declineField } from './access-cards.js';
import { actingAs } from './acting.js';
import { filled } from './fact-rows.js';
import { merchantText, type PageContext } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { refusedPage, rowText } from './proposals-page.js';
import { type FoundRequest, TakeUps } from './take-ups.js';

/** Lets an admin take up or decline what a merchant's owner asks for, with proof of presence (POR-99, POR-100). */
@Controller('portal/access')
export class AccessRequestsController {
  constructor(
    private readonly takeUps: TakeUps,
    private readonly contexts: PageContexts,
    private readonly refusals: Refusals,
  ) {}

  /** Makes the admin the proposer of exactly what was asked for. */
  @Post('take-up')
  @Permits('access.decide', (sent, controller: AccessRequestsController) =>
    controller.describeTakeUp(sent),
  )
  async takeUp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.contexts.of(viewerOf(request));
    const found = await this.findIn(postedForm(request));
    await this.weighed(found, context);
    const metadata = actingAs(request, context.viewer, found.request.reason);
    const result = await this.takeUps.takeUp(found, metadata);
    if (result.ok) seeOtherPage(reply, `/portal/waiting?done=request_${result.value}`);
    else if (result.refusal === 'changed') this.refusals.refuse('changed');
    else throw faultOf(result.refusal, context);
  }

  @Post('decline')
  @Permits('access.decide', (sent, controller: AccessRequestsController) =>
    controller.describeDecline(sent),
  )
  async decline(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.contexts.of(viewerOf(request));
    const values = postedForm(request);
    const found = await this.findIn(values);
    const metadata = actingAs(request, context.viewer, reasonIn(values, context));
    if (!(await this.takeUps.decline(found, metadata))) this.refusals.refuse('changed');
    seeOtherPage(reply, '/portal/waiting?done=request_declined');
  }

  /**
   * Describes the change as its proposal will describe it to the second admin.
   * @throws Problem changed if the request is not open or has another content; FaultPage; DependencyUnavailable
   */
  async describeTakeUp({ request, form }: SentForm): Promise<Description> {
    const found = await this.findIn(form);
    const context = await this.contextOf(request, found);
    const { rows, needsTwo } = await this.weighed(found, context);
    const { access: words, proposals, roles } = context.texts;
    return {
      title: words.takeUp,
      rows: filled([
        ...askedRows(found, context),
        ...rows.map((row) => [proposals.fields[row.field], rowText(row, context)] as const),
        [context.texts.reason, found.request.reason],
        [roles.takes, needsTwo ? words.takesTwo : words.takesOne],
      ]),
    };
  }

  /** @throws Problem changed; FaultPage if the reason is not fit; DependencyUnavailable */
  async describeDecline({ request, form }: SentForm): Promise<Description> {
    const found = await this.findIn(form);
    const context = await this.contextOf(request, found);
    const { access: words, reason } = context.texts;
    return {
      title: words.decline,
      rows: [
        ...askedRows(found, context),
        [reason, found.request.reason],
        [words.declineReason, reasonIn(form, context)],
      ],
    };
  }

  /** @throws Problem changed; DependencyUnavailable */
  private async findIn(values: URLSearchParams): Promise<FoundRequest> {
    const found = await this.takeUps.find(values.get('request') ?? '', values.get('seen') ?? '');
    return found ?? this.refusals.refuse('changed');
  }

  private contextOf(request: FastifyRequest, found: FoundRequest): Promise<PageContext> {
    return this.contexts.naming(viewerOf(request), { merchants: [found.request.merchantId] });
  }

  /** @throws FaultPage if the change would be refused; DependencyUnavailable */
  private async weighed(found: FoundRequest, context: PageContext) {
    const weighed = await this.takeUps.weigh(found, personId(context.viewer.person));
    if (!weighed.ok) throw faultOf(weighed.refusal, context);
    return weighed.value;
  }
}

function askedRows({ request }: FoundRequest, context: PageContext): Description['rows'] {
  const { texts, zone } = context;
  const { kind, merchantId, mode, askedBy, askedAt, id } = request;
  return filled([
    [texts.waiting.change, texts.access.kinds[kind]],
    [texts.merchant, merchantText(merchantId, context)],
    [texts.mode, mode && texts.modes[mode]],
    [texts.access.askedBy, askedBy],
    [texts.since, timeText(new Date(askedAt), zone)],
    [texts.access.id, id],
  ]);
}

/** @throws FaultPage */
function reasonIn(values: URLSearchParams, context: PageContext): string {
  const { texts } = context;
  const reason = readForEver(values.get(declineField) ?? '');
  if (reason.ok) return reason.value;
  throw faultPage(texts.typed[reason.refusal], context);
}

function faultOf(refusal: string, context: PageContext): FaultPage {
  const { access: words, roles } = context.texts;
  const known: Readonly<Record<string, string>> = { ...roles.refusals, ...words.refusals };
  return faultPage(known[refusal] ?? words.refusedNow(refusal), context);
}

function faultPage(text: string, context: PageContext): FaultPage {
  const { title } = context.texts.access;
  return new FaultPage({ title, place: 'waiting', content: refusedPage(text, context) });
}
