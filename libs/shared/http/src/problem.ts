import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
} from '@nestjs/common';
import { DependencyUnavailable } from '#domain/kernel';
import { type Logger } from '#infra/runtime';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { rawPath } from './raw-request.js';
import { type RouteTable } from './routes.js';

/** One row of an edge's error table: the status and the code (ERR-5 to ERR-11). */
export interface HttpError {
  readonly status: number;
  readonly code: string;
}

/** The parts of an error answer besides its code. */
export interface ProblemExtras {
  /**
   * Describes the error for people: names the field and the rule. Used with a 400, and with demo mode's 401s of
   * signing.
   */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by guards, pipes and controllers to end a request with an error. The filter writes the answer. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly error: HttpError,
    { detail, headers = {} }: ProblemExtras = {},
  ) {
    super(error.code);
    this.detail = detail;
    this.headers = headers;
  }
}

/** The errors of HTTP itself, the same at every edge. */
export const httpErrors = {
  invalid_request: { status: 400, code: 'invalid_request' },
  not_found: { status: 404, code: 'not_found' },
  method_not_allowed: { status: 405, code: 'method_not_allowed' },
  payload_too_large: { status: 413, code: 'payload_too_large' },
  unsupported_media_type: { status: 415, code: 'unsupported_media_type' },
  rate_limited: { status: 429, code: 'rate_limited' },
  internal_error: { status: 500, code: 'internal_error' },
  service_unavailable: { status: 503, code: 'service_unavailable' },
} as const satisfies Record<string, HttpError>;

/**
 * An edge whose errors are pages for people. A provider of this kind in any module of the application writes the errors
 * of its own paths, including Fastify's and the router's.
 */
export abstract class ErrorPages {
  /** @returns true if it wrote the answer; if false, the error is written as JSON */
  abstract write(request: FastifyRequest, reply: FastifyReply, problem: Problem): boolean;
}

/** Seconds to wait before a retry. The servers that we depend on are usually back within a few. */
const retryAfterSeconds = '2';

/** Writes problems, including those before a request reaches Nest. */
export class ProblemWriter {
  /** @param pages may gain members until the first request */
  constructor(private readonly pages: readonly ErrorPages[]) {}

  write(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    if (!this.pages.some((page) => page.write(request, reply, problem)))
      writeProblem(reply, problem);
  }
}

/** Writes every error answer, Fastify's own included, in one shape (ERR-1). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    private readonly problems: ProblemWriter,
    private readonly logger: Logger,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = this.problemOf(thrown, request);
    if (problem.error.status >= 500) this.log(problem, thrown, request);
    if (!reply.sent) this.problems.write(request, reply, problem);
    if (thrown instanceof DependencyUnavailable && thrown.code !== undefined)
      noteProblemCode(reply, thrown.code);
  }

  private problemOf(thrown: unknown, request: FastifyRequest): Problem {
    if (thrown instanceof Problem) return thrown;
    if (thrown instanceof DependencyUnavailable)
      return new Problem(httpErrors.service_unavailable, {
        headers: { 'Retry-After': retryAfterSeconds },
      });
    // Nest throws this for a request without a route. Our own 404s are problems.
    if (thrown instanceof NotFoundException) return noRoute(this.routes, request);
    if (thrown instanceof HttpException) return new Problem(errorOfStatus(thrown.getStatus()));
    if (isCutOff(thrown, request)) return new Problem(httpErrors.invalid_request);
    return new Problem(httpErrors.internal_error);
  }

  /**
   * Logs a problem with the route's pattern, never the path, so that callback tokens and references stay out of the
   * logs.
   */
  private log(problem: Problem, thrown: unknown, request: FastifyRequest): void {
    const line = { requestId: request.id, route: request.routeOptions.url, err: thrown };
    if (problem.error.status === 500) this.logger.error(line, 'a request ended in a defect');
    else this.logger.warn(line, 'a request could not be served');
  }
}

/**
 * True if the sender went away, or was cut off, before the whole request had arrived. Anyone may do this at any time.
 */
function isCutOff(thrown: unknown, { raw }: FastifyRequest): boolean {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNRESET' && raw.destroyed && !raw.complete;
}

/** Returns a 404 if no route has the path, else a 405. */
export function noRoute(routes: RouteTable, request: FastifyRequest): Problem {
  const allowed = routes.allowed(rawPath(request));
  if (allowed.length === 0 || allowed.includes(request.method))
    return new Problem(httpErrors.not_found);
  return new Problem(httpErrors.method_not_allowed, { headers: { Allow: allowed.join(', ') } });
}

const codes = new WeakMap<FastifyReply, string>();

/** Returns the code of the problem that a reply was; undefined if it was none. */
export function problemCodeOf(reply: FastifyReply): string | undefined {
  return codes.get(reply);
}

/** Records the code for an edge whose errors are not JSON, so that the request's log line still has it. */
export function noteProblemCode(reply: FastifyReply, code: string): void {
  codes.set(reply, code);
}

function writeProblem(reply: FastifyReply, problem: Problem): void {
  const { error, detail, headers } = problem;
  noteProblemCode(reply, error.code);
  const body = { error: error.code, ...(detail === undefined ? {} : { detail }) };
  void reply.code(error.status).headers(headers).type('application/json; charset=utf-8').send(body);
}

/** Maps Fastify's own refusals: a body that is too large, or a wrong length. */
function errorOfStatus(status: number) {
  if (status === 413) return httpErrors.payload_too_large;
  if (status === 415) return httpErrors.unsupported_media_type;
  if (status === 405) return httpErrors.method_not_allowed;
  if (status === 404) return httpErrors.not_found;
  return status >= 500 ? httpErrors.internal_error : httpErrors.invalid_request;
}
