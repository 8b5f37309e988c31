import { Clock } from '#domain/kernel';
import { roleFrom, RoleHistory, type RoleSince, type RoleTerms } from '#domain/people';
import { type Description } from '#records/people';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { isPersonOf } from '../../access/person-id.js';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { type SentForm } from '../../access/presence.js';
import { Refusals } from '../../access/refusals.js';
import { type Viewer, viewerOf } from '../../access/viewer.js';
import { FaultPage } from '../../page/fault-page.js';
import { doneOf, type Page, seeOtherPage, sendPage } from '../../page/page.js';
import { AccessDesk } from '../access/access-desk.js';
import { clockOf } from '../../page/clock-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type SentTeamForm, teamPage } from './team-page.js';
import { TypedForm } from './typed-form.js';

/** A request about a merchant's people. */
interface Asked {
  readonly request: FastifyRequest;
  readonly values: URLSearchParams;
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
  readonly place: Place;
  readonly held: readonly RoleSince[];
}

interface AskedRole {
  readonly terms: RoleTerms;
  readonly reason: string;
}

/** Reads a merchant's people from the log, and makes their page. */
@Injectable()
export class TeamReader {
  constructor(
    private readonly places: Places,
    private readonly history: RoleHistory,
    private readonly desk: AccessDesk,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem not_found; DependencyUnavailable */
  async asked(
    request: FastifyRequest,
    values: URLSearchParams = postedForm(request),
  ): Promise<Asked> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const all = await this.history.rolesAt('now');
    const held = all.filter(({ merchantId }) => merchantId === place.merchantId);
    return { request, values, viewer, texts: merchantTexts(viewer), place, held };
  }

  /** @throws DependencyUnavailable */
  async page({ place, viewer, texts, held, request }: Asked, sent?: SentTeamForm): Promise<Page> {
    const requests = await this.desk.list(place, 'role', 'role_removal');
    const people = [...held.map(({ person }) => person), ...requests.map((of) => of.askedBy)];
    const names = await this.places.people.called(place.merchantId, people);
    const clock = clockOf(place, viewer, this.clock.nowMs());
    const told: Readonly<Record<string, string>> = texts.developer.access.done;
    return {
      title: texts.developer.team.title,
      place: 'team',
      content: teamPage({ place, clock, held, names, requests, sent }, { viewer, texts }),
      done: told[doneOf(request) ?? ''],
    };
  }

  /** Reads the form for a role. @throws FaultPage; DependencyUnavailable */
  async role(asked: Asked): Promise<AskedRole> {
    const { values, viewer, texts, place, held } = asked;
    const { team: words } = texts.developer;
    const typed = new TypedForm(values);
    const name = typed.forEver('name', texts.developer);
    const reason = typed.reason(texts.developer);
    const person = typed.text('person');
    const of = roleFrom(typed.text('role'), place.merchantId);
    if (!isPersonOf(person, viewer.person.issuer)) typed.fault('person', words.wrongPerson);
    else if (held.some((one) => one.person === person && one.role === of?.role))
      typed.fault('person', words.hasRole);
    if (!of) typed.fault('role', words.wrongRole);
    if (!typed.isFit || name === undefined || reason === undefined || !of)
      throw await this.fault(asked, typed);
    return { terms: { ...of, person, name }, reason };
  }

  /** Reads the form for a role's removal. @returns undefined if the person does not have it @throws FaultPage */
  async removal(asked: Asked): Promise<AskedRole | undefined> {
    const { values, texts, place, held } = asked;
    const typed = new TypedForm(values);
    const [person, role] = [typed.text('person'), typed.text('role')];
    const found = held.find((one) => one.person === person && one.role === role);
    const of = found && roleFrom(found.role, place.merchantId);
    if (!of) return undefined;
    const reason = typed.reason(texts.developer);
    if (reason === undefined) throw await this.fault(asked, typed);
    return { terms: { ...of, person, name: found.name }, reason };
  }

  /** Stores a request. @throws FaultPage if it is refused; DependencyUnavailable */
  async ask(
    kind: 'role' | 'role_removal',
    { terms, reason }: AskedRole,
    asked: Asked,
  ): Promise<void> {
    const { viewer, texts, values } = asked;
    const stored = await this.desk.ask({ kind, details: terms }, { viewer, reason });
    if (stored.ok) return;
    const words: Readonly<Record<string, string>> = texts.developer.access.refusals;
    throw await this.fault(asked, {
      values,
      errors: { reason: words[stored.refusal] ?? stored.refusal },
    });
  }

  private async fault(asked: Asked, { values, errors }: SentTeamForm): Promise<FaultPage> {
    return new FaultPage(await this.page(asked, { values, errors }));
  }
}

/** The people of a merchant, and the forms with which its owner asks for a colleague's role (POR-96, POR-98). */
@Controller('portal/merchants/:merchantId/:mode/team')
export class TeamController {
  constructor(
    private readonly team: TeamReader,
    private readonly refusals: Refusals,
  ) {}

  @Get()
  @Permits('team.see')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendPage(request, reply, await this.team.page(await this.team.asked(request)));
  }

  @Post('ask')
  @Permits('access.ask', (sent, controller: TeamController) => controller.describeRole(sent))
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.team.asked(request);
    await this.team.ask('role', await this.team.role(asked), asked);
    seeOtherPage(reply, `${asked.place.base}/team?done=request_sent`);
  }

  @Post('ask-removal')
  @Permits('access.ask', (sent, controller: TeamController) => controller.describeRemoval(sent))
  async askRemoval(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.team.asked(request);
    const removal = (await this.team.removal(asked)) ?? this.refusals.refuse('changed');
    await this.team.ask('role_removal', removal, asked);
    seeOtherPage(reply, `${asked.place.base}/team?done=request_sent`);
  }

  async describeRole({ request, form }: SentForm): Promise<Description> {
    const asked = await this.team.asked(request, form);
    return described('role', await this.team.role(asked), asked);
  }

  /** @throws Problem changed if the person does not have the role; FaultPage; DependencyUnavailable */
  async describeRemoval({ request, form }: SentForm): Promise<Description> {
    const asked = await this.team.asked(request, form);
    const removal = (await this.team.removal(asked)) ?? this.refusals.refuse('changed');
    return described('role_removal', removal, asked);
  }
}

function described(
  kind: 'role' | 'role_removal',
  { terms, reason }: AskedRole,
  { place, texts }: Asked,
): Description {
  const { team: words, access, merchant, reason: reasonWord } = texts.developer;
  const roles: Readonly<Record<string, string>> = words.roles;
  return {
    title: access.kinds[kind],
    rows: [
      [merchant, place.name],
      [words.name, terms.name],
      [words.person, terms.person],
      [words.role, roles[terms.role] ?? terms.role],
      [reasonWord, reason],
      [access.next, access.decided],
    ],
  };
}
