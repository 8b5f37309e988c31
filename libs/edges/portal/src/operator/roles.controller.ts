import { ok, refuse } from '#domain/kernel';
import { Propose } from '#domain/proposals';
import {
  grantRole,
  mostRoleProposals,
  type HeldRole,
  needsTwoAdmins,
  RevokeRole,
  roleFrom,
  RoleHistory,
  type RoleSince,
  type RoleTerms,
  roleTermsFrom,
  SuspendAdmin,
  unsuspendAdmin,
} from '#domain/people';
import { readForEver } from '#desk/operators';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { isPersonOf } from '../access/person-id.js';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { type Description } from '#records/people';
import { actingAs } from './acting.js';
import { type FormErrors, Typed } from './decision-form.js';
import { filled } from './fact-rows.js';
import { type PageContext } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { WaitingChanges } from './proposals.controller.js';
import { type ShownProposal } from './proposals-page.js';
import { heldRoleName, rolesPage } from './roles-page.js';

/** Reads roles from the log itself, and pending proposals, for their page. Each throws DependencyUnavailable. */
@Injectable()
export class RolesNow {
  constructor(
    private readonly history: RoleHistory,
    private readonly changes: WaitingChanges,
    private readonly bus: CommandBus,
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

  /** Grants a role, or proposes it if two admins must agree (PEO-5). */
  @Post()
  @Permits('roles.decide', (sent, controller: RolesController) => controller.describeGrant(sent))
  async grant(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const context = this.pageContextOf(request);
    const values = postedForm(request);
    const typed = readGrant(values, context, this.options.issuer?.issuer);
    if ('fields' in typed) return this.send(request, reply, typed);
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

  /** Describes the role to grant, and the roles that the person already has. */
  async describeGrant({ request, form }: SentForm): Promise<Description> {
    const typed = (name: string): string => (form.get(`role_${name}`) ?? '').trim();
    const merchant = typed('merchant');
    const held = roleFrom(typed('role'), merchant === '' ? undefined : merchant);
    const now = (await this.roles.held()).filter(({ person }) => person === typed('person'));
    const context = await this.contextFor(request, [...now, { merchantId: merchant }]);
    const { texts } = context;
    const { roles: words } = texts;
    const rows = filled([
      [words.name, typed('name')],
      [words.person, typed('person')],
      [words.role, held ? heldRoleName(context)(held) : typed('role')],
      [texts.reason, typed('reason')],
      [words.hasNow, now.length === 0 ? texts.none : now.map(heldRoleName(context)).join(', ')],
      [words.takes, held && needsTwoAdmins(held) ? words.takesTwo : words.takesOne],
    ]);
    return { title: words.grant, rows };
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
    return { title: words[verb], rows };
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
  ): Promise<void> {
    const [held, waiting] = await Promise.all([this.roles.held(), this.roles.waiting()]);
    const context = await this.contextFor(request, [...held, ...waiting.map(roleTermsFrom)]);
    const done: Readonly<Record<string, string>> = context.texts.done;
    sendPage(request, reply, {
      title: context.texts.roles.title,
      content: rolesPage({ held, waiting, refused }, context),
      place: 'roles-now',
      done: refused ? undefined : done[doneOf(request) ?? ''],
      status: refused ? 422 : 200,
    });
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

/** Reads the role to grant, as it was typed. */
function readGrant(
  values: URLSearchParams,
  { texts }: PageContext,
  issuer: string | undefined,
): { readonly terms: RoleTerms; readonly reason: string } | FormErrors {
  const typed = new Typed('role', values, texts);
  const said = (name: string): string => (values.get(`role_${name}`) ?? '').trim();
  const [person, merchant] = [said('person'), said('merchant')];
  const name = typed.read('name', readForEver);
  const reason = typed.read('reason', readForEver);
  if (!isPersonOf(person, issuer)) typed.wrong('person', texts.roles.wrongPerson);
  const held = roleFrom(said('role'), merchant === '' ? undefined : merchant);
  if (!held) typed.wrong('role', texts.roles.wrongRole);
  if (typed.errors.length > 0 || name === undefined || reason === undefined || !held)
    return { fields: typed.errors, values };
  return { terms: { ...held, person, name }, reason };
}
