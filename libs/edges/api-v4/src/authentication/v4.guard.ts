import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { authenticatedBy, noteRequest, Problem, readBody, traceparentOf } from '#shared/http';
import { Clock } from '#domain/kernel';
import { readsQuery } from '#shared/openapi';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { requireNoQuery } from '../validation/validated.js';
import { CallGroups } from './call-groups.js';
import { Admissions, rateLimitHeaders, SourceFailureLimit } from './limits.js';
import {
  AuthenticationAttempt,
  type CheckContext,
  checksBeforeBody,
  checksOfSigned,
  type RouteDemands,
} from './checks.js';
import {
  type Caller,
  CredentialCache,
  moneyMovement,
  rememberCaller,
  SignedBody,
} from './caller.js';

/** Runs the checks in order. A request that passes has a caller. */
@Injectable()
export class V4Guard implements CanActivate {
  private readonly context: CheckContext;
  private readonly groups = new CallGroups();

  constructor(
    clock: Clock,
    credentials: CredentialCache,
    admissions: Admissions,
    private readonly sources: SourceFailureLimit,
  ) {
    this.context = { clock, credentials, admissions };
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const demands = demandsOf(context, request);
    const attempt = new AuthenticationAttempt(request, demands);
    try {
      const judge = async (): Promise<void> => {
        for (const check of checksBeforeBody) await check(attempt, this.context);
      };
      await judge();
      await readBody(request, judge);
      // Only calls that move money are grouped: a read has its answer before a group would be gathered.
      if (demands.idempotencyKey) await this.groups.join(http.getResponse<FastifyReply>().raw);
      for (const check of checksOfSigned) await check(attempt, this.context);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      const answer = await this.sources.answerTo(thrown, attempt.address);
      if (answer !== thrown) noteRequest(request, { failure: thrown.error.code });
      throw answer;
    } finally {
      noteCaller(attempt);
      showRate(http.getResponse<FastifyReply>(), attempt);
    }
    // If a handler reads a query, its pipe refuses unknown parameters.
    const hasQuery = attempt.signed().rawQuery !== '';
    if (hasQuery && !readsQuery(context.getClass(), context.getHandler().name))
      requireNoQuery(request);
    handOver(attempt);
    return true;
  }
}

/** Adds the credential to the request's log line once its token is known, even if a later check fails. */
function noteCaller({ request, known }: AuthenticationAttempt): void {
  if (!known) return;
  const { merchantId, mode, credentialId } = known;
  noteRequest(request, { merchantId, mode, credentialId });
}

/** Sets the rate headers on every counted request, including those that fail a later check. */
function showRate(reply: FastifyReply, attempt: AuthenticationAttempt): void {
  if (!attempt.rateLimit) return;
  void reply.headers(rateLimitHeaders(attempt.credential.rate, attempt.rateLimit));
}

/** Authenticates a controller's routes, or one route, by the three factors of V4. */
export const V4Authenticated = () => authenticatedBy(V4Guard);

/** Every V4 route that is not a read has a JSON body. */
function demandsOf(context: ExecutionContext, { method }: FastifyRequest): RouteDemands {
  return {
    body: method !== 'GET' && method !== 'HEAD',
    idempotencyKey: Reflect.getMetadata(moneyMovement, context.getHandler()) === true,
  };
}

function callerOf(attempt: AuthenticationAttempt): Caller {
  const { credential, request, idempotencyKey: key } = attempt;
  const signed = attempt.signed();
  return {
    credential,
    requestId: request.id,
    evidence: {
      method: signed.method,
      path: signed.rawPath,
      query: signed.rawQuery,
      bodyDigest: signed.bodyDigest,
      nonce: signed.nonce,
      timestamp: signed.timestamp,
      signature: attempt.signatureHeaders().signature,
      keyFingerprint: credential.publicKey.fingerprint,
    },
    traceparent: traceparentOf(request),
    idempotencyKey: key.ok ? key.value : undefined,
    minPosition: attempt.header('x-pp-min-position'),
    atPosition: attempt.header('x-pp-at-position'),
  };
}

/**
 * Gives the caller to the controller through `ByCaller`, and to pipes with the body. They see no other part of the
 * request.
 */
function handOver(attempt: AuthenticationAttempt): void {
  const { request, body } = attempt;
  const caller = callerOf(attempt);
  rememberCaller(request, caller);
  if (body) request.body = new SignedBody(body, caller);
}
