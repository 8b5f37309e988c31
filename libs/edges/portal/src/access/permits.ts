import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Optional,
  SetMetadata,
} from '@nestjs/common';
import { DependencyUnavailable, isMode } from '#domain/kernel';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { type Action, needsStepUp, permits, personId, RoleDirectory } from '#domain/people';
import {
  authenticatedBy,
  httpErrors,
  noteRequest,
  Problem,
  rawTarget,
  readBody,
  streamedBody,
} from '#shared/http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { doneOf } from '../page/page.js';
import { readSideFacts, SideFactsReader } from '../page/side-facts.js';
import { languageOf } from '../text/language.js';
import { BrowserSessions, looksAgain } from '../session/browser-sessions.js';
import { type FoundSession, type Session } from '#records/people';
import { SessionRenewal } from '../session/session-renewal.js';
import { StatusPass } from '../session/status-pass.js';
import { formTokenField, leaveForm } from './form-token.js';
import { holdsNull, postedForm } from './posted-form.js';
import { type Describe, Presence } from './presence.js';
import { Refusals, retryAfter, seeOther } from './refusals.js';
import { isFromHere } from './site.js';
import { rememberPass, rememberViewer, type Viewer, viewerIfAny } from './viewer.js';

const [actionKey, describeKey] = ['portal:action', 'portal:describe'];
const whenDownKey = 'portal:shown-when-down';

/** Marks a page of the platform that is shown even if the server that knows sessions or roles is down (POR-80). */
export function ShownWhenDown(): MethodDecorator {
  return SetMetadata(whenDownKey, true);
}

const withoutSessionKey = 'portal:without-session';

/** Marks a form that has nothing left to do if its session has ended: its sender sees the page of this path instead. */
export function WithoutSession(path: string): MethodDecorator {
  return SetMetadata(withoutSessionKey, path);
}

/** Time to check who asks for such a page. It is short because a person waits to see what is down. */
const judgedWithinMs = 3000;

/**
 * Marks a page or a form of the portal. Only people to whom the table of roles allows the action may use it (POR-7). On
 * a merchant's route (`:merchantId`), the merchant's own people count. For an action with step-up, a form waits until
 * its sender has proved presence for it.
 * @param describe what a form will do, in words; if it is absent, the form's fields are listed
 */
export function Permits<Controller>(
  action: Action,
  describe?: Describe<Controller>,
): ClassDecorator & MethodDecorator {
  return applyDecorators(
    SetMetadata(actionKey, action),
    SetMetadata(describeKey, describe),
    authenticatedBy(PortalGuard),
  );
}

/** Marks pages for everyone who is signed in, whatever their roles, because they concern only the viewer's own session. */
export function SignedIn(): ClassDecorator & MethodDecorator {
  return authenticatedBy(PortalGuard);
}

/** The action that a route needs, or undefined if everyone who is signed in may use it or it is not the portal's. */
export function actionOf(handler: object, controller: object): Action | undefined {
  return metadataOf(actionKey, handler, controller) as Action | undefined;
}

function metadataOf(key: string, handler: object, controller: object): unknown {
  return (Reflect.getMetadata(key, handler) as unknown) ?? Reflect.getMetadata(key, controller);
}

@Injectable()
export class PortalGuard implements CanActivate {
  @Inject(StatusPass) private readonly statusPass!: StatusPass;
  @Inject(SessionRenewal) private readonly renewal!: SessionRenewal;
  @Optional() @Inject(SideFactsReader) private readonly side?: SideFactsReader;

  constructor(
    private readonly sessions: BrowserSessions,
    private readonly directory: RoleDirectory,
    private readonly presence: Presence,
    private readonly refusals: Refusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const isShownWhenDown =
      metadataOf(whenDownKey, context.getHandler(), context.getClass()) === true;
    if (!isShownWhenDown) return this.judge(context);
    try {
      return await withDeadline(
        this.judge(context),
        judgedWithinMs,
        'the viewer could not be checked in time',
      );
    } catch (error) {
      const isAway = error instanceof DependencyUnavailable || error instanceof DeadlineExceeded;
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      if (!isAway) throw error;
      if (!this.statusPass.isGiven(request)) throw unavailable(error);
      rememberPass(request);
      return true;
    }
  }

  private async judge(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // A class and its method may both be decorated: the first check has judged by the method's action.
    if (viewerIfAny(request)) return true;
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const session = await this.sessionOf(request);
    const isForm = request.method !== 'GET' && request.method !== 'HEAD';
    const elsewhere = metadataOf(withoutSessionKey, handler, controller) as string | undefined;
    if (!session && elsewhere !== undefined) throw seeOther(elsewhere);
    if (!session) return this.leadToSignIn(request, isForm);
    noteRequest(request, { personId: personId(session.person) });
    const waitMs = await this.sessions.waitOf(session);
    if (waitMs !== undefined) this.refusals.refuse('too_many_requests', retryAfter(waitMs));
    if (isForm && !isFromHere(request, this.sessions.options.url))
      this.refusals.refuse('other_site');
    await readBody(request, async () => {
      if (!(await this.sessions.find(request))) this.leadToSignIn(request, isForm);
    });
    if (holdsNull(request)) throw new Problem(httpErrors.invalid_request);
    const viewer = await this.look(request, session);
    const action = actionOf(handler, controller);
    this.assertPermitted(request, viewer.roles, action);
    this.readSide(request, viewer);
    if (!isForm && permits(viewer.roles, 'platform.see', undefined))
      this.statusPass.give(http.getResponse<FastifyReply>(), session.hash);
    if (isForm) this.assertOurForm(request, viewer, action);
    if (isForm && action !== undefined && needsStepUp(action)) {
      const describe = metadataOf(describeKey, handler, controller) as
        Describe<unknown> | undefined;
      await this.presence.assert(context, viewer, { action, describe });
    }
    return true;
  }

  /** The session, unless the provider has said meanwhile that its person may not stay (POR-122). */
  private async sessionOf(request: FastifyRequest): Promise<FoundSession | undefined> {
    const session = await this.sessions.find(request);
    if (!session?.isRenewalDue || (await this.renewal.mayStay(session))) return session;
    noteRequest(request, { personId: personId(session.person), securityEvent: 'session_ended' });
    return undefined;
  }

  private readSide(request: FastifyRequest, viewer: Viewer): void {
    if (!this.side) return;
    const isFresh = doneOf(request) !== undefined;
    readSideFacts(request, this.side, { viewer, path: rawTarget(request).path, isFresh });
  }

  /** Sends a page's reader to sign in and then back to the page. A form is refused and not carried out. */
  private leadToSignIn(request: FastifyRequest, isForm: boolean): never {
    if (isForm) this.refusals.refuse('sign_in_required');
    // The browser loads the page again as a whole, and that request leads the person to the sign-in.
    if (looksAgain(request)) this.refusals.refuse('sign_in_required', { 'HX-Refresh': 'true' });
    const { path, query } = rawTarget(request);
    const back = encodeURIComponent(query === '' ? path : `${path}?${query}`);
    throw seeOther(`/portal/sign-in?back=${back}`);
  }

  /** Looks up the person, their roles as they are now, and the merchant whose page it is. */
  private async look(request: FastifyRequest, session: Session): Promise<Viewer> {
    const { hash, person, name } = session;
    const [roles, isSuspended, breakGlass] = await Promise.all([
      this.directory.rolesOf(person),
      this.directory.isSuspended(person),
      this.directory.breakGlass(),
    ]);
    const { merchantId, mode } = paramsOf(request);
    const viewer: Viewer = {
      person,
      name,
      roles,
      isSuspended,
      breakGlass,
      language: languageOf(request),
      formToken: this.sessions.formToken(hash),
      sessionHash: hash,
      firstMode: this.sessions.options.firstMode,
      merchant:
        merchantId !== undefined && mode !== undefined && isMode(mode)
          ? { merchantId, mode }
          : undefined,
    };
    rememberViewer(request, viewer);
    if (mode !== undefined && !isMode(mode)) this.refusals.refuse('not_found');
    if (merchantId !== undefined && !permits(roles, 'merchant.see', merchantId))
      // The answer is the same as for a merchant that does not exist: a merchant's people learn nothing of others.
      this.refusals.refuse('not_found');
    return viewer;
  }

  private assertPermitted(
    request: FastifyRequest,
    roles: Viewer['roles'],
    action: Action | undefined,
  ): void {
    if (action !== undefined && !permits(roles, action, paramsOf(request).merchantId))
      this.refusals.refuse('forbidden');
  }

  /** Checks the form's token. If the route reads the form itself, the route has it checked (`assertForm`). */
  private assertOurForm(
    request: FastifyRequest,
    { sessionHash, person }: Viewer,
    action: Action | undefined,
  ): void {
    const isOurs = (token: string): boolean => this.sessions.gaveToken(sessionHash, token);
    const judgeAgain = async (): Promise<void> => {
      if (!(await this.sessions.find(request))) this.leadToSignIn(request, true);
      this.assertPermitted(request, await this.directory.rolesOf(person), action);
    };
    if (streamedBody(request)) leaveForm(request, { isOurs, judgeAgain });
    else if (!isOurs(postedForm(request).get(formTokenField) ?? ''))
      this.refusals.refuse('stale_form');
  }
}

/** The error that is answered as that of any other server that is down. */
function unavailable(error: Error): Error {
  if (error instanceof DependencyUnavailable) return error;
  return new DependencyUnavailable('postgres', error.message, { cause: error });
}

function paramsOf({ params }: FastifyRequest) {
  return params as { readonly merchantId?: string; readonly mode?: string };
}
