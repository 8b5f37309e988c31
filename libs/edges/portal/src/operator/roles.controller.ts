import { ok, refuse } from '#domain/kernel';
import { Propose } from '#domain/proposals';
import {
  grantRole,
  mostRoleProposals,
  type HeldRole,
  needsTwoAdmins,
  permits,
  RevokeRole,
  roleFrom,
  RoleHistory,
  type RoleSince,
  roleTermsFrom,
  SuspendAdmin,
  unsuspendAdmin,
} from '#domain/people';
import { readForEver } from '#desk/operators';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { type Description } from '#records/people';
import { FaultPage } from '../page/fault-page.js';
import { actingAs } from './acting.js';
import { type FormErrors } from './decision-form.js';
import { filled } from './fact-rows.js';
import { type PageContext } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { WaitingChanges } from './proposals.controller.js';
import { type ShownProposal } from './proposals-page.js';
import { readGrant, RoleChoices } from './grant-form.js';
import { grantPage } from './grant-page.js';
import { grantLink, heldRoleName, rolesPage } from './roles-page.js';

/** Reads roles from the log itself, and pending proposals, for their page. Each throws DependencyUnavailable. */
@Injectable()
export class RolesNow {
  constructor(
    private readonly history: RoleHistory,
    private readonly changes: WaitingChanges,
    private readonly bus: CommandBus,
    readonly choices: RoleChoices,
  ) {}

  held(): Promise<readonly RoleSince[]> {
    return this.history.rolesAt('now');
  }

  async find(person: string, of: HeldRole): Promise<RoleSince | undefined> {
    return (await this.held()).find(
      (each) =>
        each.person === person && each.role === of.role && each.merchantId === of.merchantId,
    );
  }

  waiting(): Promise<readonly ShownProposal[]> {
    return this.changes.list(mostRoleProposals, grantRole.kind);
  }

  /** Sends a command about roles. */
  get execute() {
    return this.bus.execute.bind(this.bus);
  }
}

/** The page of roles, and admins' forms about them. Each form takes proof of presence. */
@Controller('portal/roles')
export class RolesController {
  constructor(
    private readonly roles: RolesNow,
    private readonly options: PortalOptions,
    private readonly refusals: Refusals,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  @Permits('roles.decide')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(request, reply);
  }

  /** The form that grants a role. */
  @Get('new')
  @Permits('roles.decide')
  async form(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(request, reply, await this.grantPageOf(request));
  }

  /** Filters the list. The action has no step-up, because the form only reads. */
  @Post('filter')
  @Permits('roles.see')
  async filter(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { roles } = viewerOf(request);
    if (!permits(roles, 'roles.decide')) this.refusals.refuse('forbidden');
    const text = (postedForm(request).get('text') ?? '').trim().slice(0, 100);
    await this.send(request, reply, undefined, text);
  }

  /** Grants a role, or proposes it if two admins must agree (PEO-5). */
  @Post()
  @Permits('roles.decide', (sent, controller: RolesController) => controller.describeGrant(sent))
  async grant(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.pageContextOf(request);
    const values = postedForm(request);
    const typed = await this.readGrant(values, context);
    if ('fields' in typed) throw new FaultPage(await this.grantPageOf(request, typed));
    const { terms, reason } = typed;
    const metadata = actingAs(request, context.viewer, reason);
    const result = await this.roles.execute(new Propose(grantRole, terms, metadata));
    if (result.ok) this.done(reply, result.value.kind === 'done' ? 'granted' : 'role_proposed');
    else await this.refuse(request, reply, result.refusal);
  }

  /** Takes a role away; one admin is enough (PEO-6). */
  @Post('revoke')
  @Permits('roles.decide', (sent, controller: RolesController) => controller.describeRevoke(sent))
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.pageContextOf(request);
    const values = postedForm(request);
    const of = await this.heldIn(values);
    const reason = readForEver(values.get('reason') ?? '');
    if (!reason.ok) return this.refuseTyped(request, reply, context.texts.typed[reason.refusal]);
    const metadata = actingAs(request, context.viewer, reason.value);
    const revoked = { person: of.person, held: of };
    const result = await this.roles.execute(new RevokeRole(revoked, metadata));
    if (result.ok) this.done(reply, 'revoked');
    else await this.refuse(request, reply, result.refusal);
  }

  /** Suspends an admin at once; one other admin is enough (PEO-55). */
  @Post('suspend')
  @Permits('roles.decide', (sent, controller: RolesController) =>
    controller.describeSuspension('suspend', sent),
  )
  async suspend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = this.readSuspension(request);
    if (!asked.ok) return this.refuseTyped(request, reply, asked.refusal);
    const { person, metadata } = asked.value;
    const result = await this.roles.execute(new SuspendAdmin(person, metadata));
    if (result.ok) this.done(reply, 'suspended');
    else await this.refuse(request, reply, result.refusal);
  }

  /** Proposes that a suspended admin acts again, which another admin confirms (PEO-57). */
  @Post('unsuspend')
  @Permits('roles.decide', (sent, controller: RolesController) =>
    controller.describeSuspension('unsuspend', sent),
  )
  async unsuspend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = this.readSuspension(request);
    if (!asked.ok) return this.refuseTyped(request, reply, asked.refusal);
    const { person, metadata } = asked.value;
    const result = await this.roles.execute(new Propose(unsuspendAdmin, { person }, metadata));
    if (result.ok) this.done(reply, 'role_proposed');
    else await this.refuse(request, reply, result.refusal);
  }

  /**
   * Describes the role to grant, and the roles that the person already has.
   * @throws FaultPage with the form's errors; DependencyUnavailable
   */
  async describeGrant({ request, form }: SentForm): Promise<Description> {
    const typed = await this.readGrant(form, this.pageContextOf(request));
    if ('fields' in typed) throw new FaultPage(await this.grantPageOf(request, typed));
    const { terms, reason } = typed;
    const now = (await this.roles.held()).filter(({ person }) => person === terms.person);
    const context = await this.contextFor(request, [...now, terms]);
    const { texts } = context;
    const { roles: words } = texts;
    const rows = filled([
      [words.name, terms.name],
      [words.person, terms.person],
      [words.role, heldRoleName(context)(terms)],
      [texts.reason, reason],
      [words.hasNow, now.length === 0 ? texts.none : now.map(heldRoleName(context)).join(', ')],
      [words.takes, needsTwoAdmins(terms) ? words.takesTwo : words.takesOne],
    ]);
    const verb = needsTwoAdmins(terms) ? 'propose' : 'decide';
    return { title: words.grant, verb, rows };
  }

  /**
   * Describes the role as it is held.
   * @throws Problem changed if the person does not have it; DependencyUnavailable
   */
  async describeRevoke({ request, form }: SentForm): Promise<Description> {
    const held = await this.heldIn(form);
    const { person, name, proposedBy } = held;
    const context = await this.contextFor(request, [held]);
    const { texts } = context;
    const { roles: words } = texts;
    const rows = filled([
      [words.name, name],
      [words.person, person],
      [words.role, heldRoleName(context)(held)],
      [words.grantedBy, proposedBy],
      [texts.reason, (form.get('reason') ?? '').trim()],
    ]);
    return { title: words.revoke, rows };
  }

  /**
   * Describes the admin from the log.
   * @throws Problem changed if the person is no admin; DependencyUnavailable
   */
  async describeSuspension(
    verb: 'suspend' | 'unsuspend',
    { request, form }: SentForm,
  ): Promise<Description> {
    const held = await this.roles.find(form.get('person') ?? '', { role: 'admin' });
    if (!held) this.refusals.refuse('changed');
    const { texts } = this.pageContextOf(request);
    const { roles: words } = texts;
    const rows = filled([
      [words.name, held.name],
      [words.person, held.person],
      [texts.reason, (form.get('reason') ?? '').trim()],
      [words.takes, verb === 'suspend' ? words.suspendText : words.unsuspendText],
    ]);
    return { title: words[verb], ...(verb === 'unsuspend' && { verb: 'propose' }), rows };
  }

  private readSuspension(request: FastifyRequest) {
    const { viewer, texts } = this.pageContextOf(request);
    const values = postedForm(request);
    const reason = readForEver(values.get('reason') ?? '');
    if (!reason.ok) return refuse(texts.typed[reason.refusal]);
    const metadata = actingAs(request, viewer, reason.value);
    return ok({ person: values.get('person') ?? '', metadata });
  }

  /**
   * The role that a form names, as it is held.
   * @throws Problem changed; DependencyUnavailable
   */
  private async heldIn(form: URLSearchParams): Promise<RoleSince> {
    const merchant = form.get('merchant') ?? '';
    const of = roleFrom(form.get('role') ?? '', merchant === '' ? undefined : merchant);
    const held = of && (await this.roles.find(form.get('person') ?? '', of));
    return held ?? this.refusals.refuse('changed');
  }

  private done(reply: FastifyReply, code: string): void {
    seeOtherPage(reply, `/portal/roles?done=${code}`);
  }

  private refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: keyof PageContext['texts']['roles']['refusals'],
  ): Promise<void> {
    const { texts } = this.pageContextOf(request);
    return this.refuseTyped(request, reply, texts.roles.refusals[refusal]);
  }

  private refuseTyped(
    request: FastifyRequest,
    reply: FastifyReply,
    summary: string,
  ): Promise<void> {
    return this.send(request, reply, { summary, fields: [], values: postedForm(request) });
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    refused?: FormErrors,
    text = '',
  ): Promise<void> {
    const [held, waiting] = await Promise.all([this.roles.held(), this.roles.waiting()]);
    const context = await this.contextFor(request, [...held, ...waiting.map(roleTermsFrom)]);
    const done: Readonly<Record<string, string>> = context.texts.done;
    sendPage(request, reply, {
      title: context.texts.roles.title,
      actions: grantLink(context),
      content: rolesPage({ held, waiting, text, refused }, context),
      place: 'roles-now',
      done: refused ? undefined : done[doneOf(request) ?? ''],
      status: refused ? 422 : 200,
    });
  }

  private async grantPageOf(request: FastifyRequest, refused?: FormErrors) {
    const context = this.pageContextOf(request);
    const content = grantPage({ ...(await this.roles.choices.all()), refused }, context);
    return { title: context.texts.roles.grant, content, place: 'roles-now' } as const;
  }

  private readGrant(values: URLSearchParams, { texts }: PageContext) {
    return readGrant(values, this.roles.choices, { texts, issuer: this.options.issuer?.issuer });
  }

  private pageContextOf(request: FastifyRequest): PageContext {
    return this.contexts.of(viewerOf(request));
  }

  /** The look with the names of the roles' merchants. */
  private contextFor(request: FastifyRequest, roles: readonly Pick<HeldRole, 'merchantId'>[]) {
    const merchants = roles.flatMap(({ merchantId }) => merchantId ?? []);
    return this.contexts.naming(viewerOf(request), { merchants });
  }
}
