import { Injectable } from '@nestjs/common';
import { personId } from '#domain/people';
import { ErrorPages, noteProblemCode, type Problem, rawPath } from '#shared/http';
import { html } from '#shared/html';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { RefusalWithFacts } from '../access/refusal-with-facts.js';
import { viewerIfAny } from '../access/viewer.js';
import { languageOf } from '../text/language.js';
import { textsOf } from '../text/texts-of.js';
import { type FaultCode } from '../text/codes.js';
import { type Texts } from '../text/texts.js';
import { FaultPage } from './fault-page.js';
import { sendPage } from './page.js';
import { definitions, notice } from './parts.js';

/** Answers every error of a path under /portal with a page in plain words that shows the request's id (POR-14). */
@Injectable()
export class PortalErrorPages extends ErrorPages {
  override write(request: FastifyRequest, reply: FastifyReply, problem: Problem): boolean {
    const path = rawPath(request);
    if (path !== '/portal' && !path.startsWith('/portal/')) return false;
    const { status, code } = problem.error;
    void reply.headers(problem.headers);
    if (status < 400) {
      void reply.code(status).send();
      return true;
    }
    noteProblemCode(reply, code);
    if (problem instanceof FaultPage) {
      sendPage(request, reply, { ...problem.page, status, isFault: true });
      return true;
    }
    const viewer = viewerIfAny(request);
    const texts = textsOf(viewer ?? { language: languageOf(request) });
    const { title, text } = texts.faults[faultOf(code, status, texts)];
    const id = code === 'no_role' && viewer ? personId(viewer.person) : undefined;
    const facts = problem instanceof RefusalWithFacts ? problem.facts(texts) : undefined;
    sendPage(request, reply, {
      title,
      status,
      isFault: true,
      isDialog: true,
      content: html`${notice('error', text)}
        ${id && definitions([[texts.yourId, html`<code>${id}</code>`]])}
        ${facts && definitions(facts.map(([label, value]) => [label, html`<code>${value}</code>`]))}
        <div class="buttons"><a class="button" href="/portal">${texts.firstPage}</a></div>
        <details>
          <summary>${texts.technical}</summary>
          ${definitions([[texts.requestId, html`<code>${request.id}</code>`]])}
        </details>`,
    });
    return true;
  }
}

/** The words for an error. A code of the portal has its own words; for other codes the status picks the words. */
function faultOf(code: string, status: number, { faults }: Texts): FaultCode {
  if (Object.hasOwn(faults, code)) return code as FaultCode;
  if (status >= 500) return 'internal_error';
  if (status === 429) return 'too_many_requests';
  return status === 404 ? 'not_found' : 'invalid_request';
}
