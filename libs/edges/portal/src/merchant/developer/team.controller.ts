import { Clock } from '#domain/kernel';
import { RoleHistory } from '#domain/people';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { viewerOf } from '../../access/viewer.js';
import { sendPage } from '../../page/page.js';
import { Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { clockOf } from '../../page/clock-of.js';
import { teamPage } from './team-page.js';

/** Shows an owner the people of the merchant (POR-96). */
@Controller('portal/merchants/:merchantId/:mode/team')
export class TeamController {
  constructor(
    private readonly places: Places,
    private readonly history: RoleHistory,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Permits('team.see')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const all = await this.history.rolesAt('now');
    const held = all.filter(({ merchantId }) => merchantId === place.merchantId);
    const people = held.map(({ person }) => person);
    const names = await this.places.people.called(place.merchantId, people);
    const clock = clockOf(place, viewer, this.clock.nowMs());
    sendPage(request, reply, {
      title: texts.developer.team.title,
      place: 'team',
      content: teamPage({ clock, held, names }, texts),
    });
  }
}
