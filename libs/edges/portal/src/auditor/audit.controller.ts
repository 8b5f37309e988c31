import {
  PostingProofs,
  ProofFails,
  type ProofOfStream,
  provedPostingObject,
  sealedHeadObject,
} from '#domain/audit';
import { EventStore } from '#domain/event-sourcing';
import { writeJson } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { httpErrors, Problem } from '#shared/http';
import { Cases, type Item, itemStream } from '#desk/operators';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { viewerOf } from '../access/viewer.js';
import { queryOf } from '../operator/page-context.js';
import { PageContexts } from '../operator/page-contexts.js';
import { sendPage } from '../page/page.js';
import { form, moneyText, notice } from '../page/parts.js';
import { type PageContext, pageContextOf } from './page-context.js';
import { namedFields, namedIn, notOneText } from './named-fields.js';
import { SealedDays } from './ports.js';
import { proofPage } from './proof-page.js';
import { sealsPage } from './seals-page.js';

interface Proved {
  readonly item: Item;
  readonly proof: ProofOfStream;
  /** The item's amount with its currency. */
  readonly amount: string;
}

/** Proofs of items, which people name by a reference. */
@Injectable()
export class ItemProofs {
  constructor(
    private readonly cases: Cases,
    private readonly store: EventStore,
    private readonly proofs: PostingProofs,
  ) {}

  /**
   * @returns the proof, or a text that says why there is none
   * @throws DependencyUnavailable
   */
  async of(form: URLSearchParams, context: PageContext): Promise<Proved | string> {
    const found = await this.cases.load(namedIn(form));
    if (!found.ok) return notOneText(found.refusal, context);
    const item = found.value;
    try {
      const events = await this.store.readStream(itemStream(item));
      const { amount_minor, currency } = item.item;
      const { state } = item;
      const heldMinor = state.status === 'in_suspense' ? state.arrivedMinor : amount_minor;
      const amount = moneyText(heldMinor, currency);
      return { item, amount, proof: await this.proofs.ofStream(events) };
    } catch (error) {
      if (error instanceof ProofFails) return context.words.proof.damaged;
      throw error;
    }
  }
}

@Controller('portal/audit')
@Permits('audit.see')
export class AuditController {
  constructor(
    private readonly days: SealedDays,
    private readonly proofs: ItemProofs,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  async seals(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.context(request);
    const asked = queryOf(request).get('before') ?? '';
    const before = /^\d{4}-\d{2}-\d{2}$/.test(asked) ? asked : undefined;
    const content = sealsPage(await this.days.heads(), before, context);
    sendPage(request, reply, { title: context.words.places.audit, content, place: 'audit' });
  }

  @Get('proof')
  async proof(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.context(request);
    const { proof: words } = context.words;
    const query = queryOf(request);
    if (query.size === 0) {
      const content = proofForm(query, context);
      sendPage(request, reply, { title: words.title, content, place: 'proof' });
      return;
    }
    const proved = await this.proofs.of(query, context);
    const page =
      typeof proved === 'string'
        ? {
            title: words.title,
            content: askAgain(query, proved, context),
            status: 404,
            isFault: true,
          }
        : {
            title: words.of(proved.item.key.reference),
            content: proofPage(
              proved.item,
              { ...proved.proof, amount: proved.amount },
              pageContextOf(
                await this.contexts.naming(viewerOf(request), {
                  merchants: [proved.item.key.merchantId],
                }),
              ),
            ),
          };
    sendPage(request, reply, { ...page, place: 'proof' });
  }

  /** The same file as `audit prove --json`. verifier/verify.mjs takes it both for the proof and for the head. */
  @Get('proof.json')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const proved = await this.proofs.of(queryOf(request), this.context(request));
    if (typeof proved === 'string') throw new Problem(httpErrors.not_found);
    const { postings, head } = proved.proof;
    const told = {
      postings: postings.map(provedPostingObject),
      head: head ? sealedHeadObject(head) : null,
    };
    void reply
      .header('Content-Disposition', 'attachment; filename="proof.json"')
      .type('application/json; charset=utf-8')
      .send(Buffer.from(writeJson(told)));
  }

  private context(request: FastifyRequest): PageContext {
    return pageContextOf(this.contexts.of(viewerOf(request)));
  }
}

function askAgain(query: URLSearchParams, why: string, context: PageContext): Html {
  return html`${notice('error', why)} ${proofForm(query, context)}`;
}

/** The form that names the payment to verify. */
function proofForm(query: URLSearchParams, context: PageContext): Html {
  return form(context.viewer, {
    action: '/portal/audit/proof',
    method: 'get',
    submit: context.words.proof.show,
    fields: namedFields(namedIn(query), context),
  });
}
