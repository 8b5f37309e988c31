import {
  DecideProposal,
  type DecideProposalRefusal,
  type OpenProposal,
  type ProposalKind,
  Proposals,
  ProposalSubjects,
} from '#domain/proposals';
import { Controller, Injectable, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { seeOtherPage, sendPage } from '../page/page.js';
import { AccessRequests, type DescribedVerb, type Description } from '#records/people';
import { actingFor } from './acting.js';
import { readOwnReason } from './decision-form.js';
import { filled } from './fact-rows.js';
import { isViewer, type PageContext } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { proposalRows, refusedPage, secretsPage, type ShownProposal } from './proposals-page.js';

/** Reads pending changes that another admin must confirm, with a description of each. */
@Injectable()
export class WaitingChanges {
  constructor(
    private readonly proposals: Proposals,
    private readonly subjects: ProposalSubjects,
    private readonly requests: AccessRequests,
  ) {}

  /** @throws DependencyUnavailable */
  async list(limit: number, kind?: ProposalKind): Promise<readonly ShownProposal[]> {
    return this.shown(await this.proposals.listOpen(limit, kind));
  }

  /** @throws DependencyUnavailable */
  async find(id: string): Promise<ShownProposal | undefined> {
    const found = await this.proposals.findOpen(id);
    const [shown] = found ? await this.shown([found]) : [];
    return shown;
  }

  private async shown(proposals: readonly OpenProposal[]): Promise<readonly ShownProposal[]> {
    const askers = await this.requests.askersOf(proposals.map(({ id }) => id));
    return proposals.map((proposal) => {
      const askedBy = askers.get(proposal.id);
      const rows = this.subjects.describe(proposal);
      return { ...proposal, rows, ...(askedBy === undefined ? {} : { askedBy }) };
    });
  }
}

/** Lets a second admin confirm or decline a change, with proof of presence (PEO-30). */
@Controller('portal/proposals')
export class ProposalsController {
  constructor(
    private readonly waiting: WaitingChanges,
    private readonly bus: CommandBus,
    private readonly contexts: PageContexts,
    private readonly refusals: Refusals,
  ) {}

  /**
   * Confirms a change. An answer with a secret is a page of its own: loading it again sends the form again, which shows
   * none.
   */
  @Post('confirm')
  @Permits('proposals.decide', (sent, controller: ProposalsController) =>
    controller.describe('confirm', sent),
  )
  confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('confirm', request, reply);
  }

  /** Declines a change for another admin. The proposer withdraws it in the same way. */
  @Post('decline')
  @Permits('proposals.decide', (sent, controller: ProposalsController) =>
    controller.describe('decline', sent),
  )
  decline(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('decline', request, reply);
  }

  /**
   * Describes the proposal as it is stored.
   * @throws Problem changed if it is no longer pending; DependencyUnavailable
   */
  async describe(
    verdict: 'confirm' | 'decline',
    { request, form }: SentForm,
  ): Promise<Description> {
    const proposal = await this.waiting.find(form.get('proposal') ?? '');
    if (!proposal) this.refusals.refuse('changed');
    const { merchantId } = proposal;
    const context = await this.contexts.naming(viewerOf(request), {
      merchants: merchantId === undefined ? [] : [merchantId],
    });
    const own = [context.texts.item.confirmReason, (form.get('own_reason') ?? '').trim()] as const;
    return {
      title: context.texts.proposals[verdict],
      verb: verbOf(verdict, isViewer(proposal.proposedBy, context.viewer)),
      rows: filled([...proposalRows(proposal, context), own]),
    };
  }

  private async decide(
    verdict: 'confirm' | 'decline',
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const context = this.contexts.of(viewerOf(request));
    const { texts } = context;
    const values = postedForm(request);
    const reason = readOwnReason(values, texts);
    if (!reason.ok) {
      this.refuse(request, reply, reason.refusal.text);
      return;
    }
    const metadata = actingFor(request, context.viewer, reason.value);
    const id = values.get('proposal') ?? '';
    const result = await this.bus.execute(new DecideProposal(id, verdict, metadata));
    if (!result.ok) {
      this.refuse(request, reply, refusalText(result.refusal, texts));
      return;
    }
    const { value } = result.value;
    if (!value)
      seeOtherPage(
        reply,
        `/portal/waiting?done=proposal_${verdict === 'confirm' ? 'confirmed' : 'declined'}`,
      );
    else
      sendPage(request, reply, {
        title: texts.proposals.done,
        content: secretsPage(value, context),
        place: 'waiting',
      });
  }

  private refuse(request: FastifyRequest, reply: FastifyReply, summary: string): void {
    const context = this.contexts.of(viewerOf(request));
    sendPage(request, reply, {
      title: context.texts.proposals.title,
      content: refusedPage(summary, context),
      place: 'waiting',
      status: 422,
    });
  }
}

/** The proposer's own decline is a withdrawal. */
function verbOf(verdict: 'confirm' | 'decline', isOwn: boolean): DescribedVerb {
  if (verdict === 'confirm') return 'confirm';
  return isOwn ? 'withdraw' : 'reject';
}

function refusalText(refusal: DecideProposalRefusal, texts: PageContext['texts']): string {
  const own: Readonly<Record<string, string>> = texts.proposals.refusals;
  const ofRoles: Readonly<Record<string, string>> = texts.roles.refusals;
  const [, code] = /^refused:(.*)$/.exec(refusal) ?? [];
  return code === undefined
    ? (own[refusal] ?? refusal)
    : (ofRoles[code] ?? texts.proposals.refusedNow(code));
}
