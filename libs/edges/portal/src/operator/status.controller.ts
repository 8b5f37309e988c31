import { PlatformRecords, PlatformSources, platformStanding, RailWatch } from '#views/cases';
import { waitingPayouts } from '#views/payouts';
import { countReviews, reviewsBegun } from '#views/reviews';
import { recentCollections } from '#views/transactions';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { viewerOf } from '../access/viewer.js';
import { sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { queryOf } from './looks.js';
import { isSpan, type Span, spans } from './spans.js';
import { statusPage } from './status-page.js';
import { type Platform, type Answered } from './status-parts.js';
import { operatorTextsOf } from './texts-of.js';

/** How many are shown of what a part lists. */
const maxShown = 10;

/** How each part of the platform stands; what cannot be told keeps nothing else from being told. */
@Injectable()
export class PlatformHealth {
  constructor(
    private readonly sources: PlatformSources,
    private readonly platform: PlatformRecords,
    private readonly rails: RailWatch,
  ) {}

  async of(span: Span): Promise<Platform> {
    const { sources, platform, rails } = this;
    const { database, clock } = sources.servers;
    const [parts, reviews, payouts, webhooks, missed, circuits, floats, recent] = await Promise.all(
      [
        platformStanding(sources),
        answered(() => countReviews(database)),
        answered(() => waitingPayouts(database)),
        answered(() => platform.deliveries(maxShown)),
        answered(() => platform.missedMoney(maxShown)),
        answered(() => rails.circuits()),
        answered(() => rails.floats()),
        answered(async () => ({
          collections: await recentCollections(database, spans[span]),
          reviewsBegun: await reviewsBegun(database, spans[span]),
        })),
      ],
    );
    const now = new Date(clock.nowMs());
    return { parts, reviews, payouts, webhooks, missed, circuits, floats, recent, span, now };
  }
}

async function answered<Facts>(tell: () => Promise<Facts>): Promise<Answered<Facts>> {
  try {
    return { facts: await tell() };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

@Controller('portal/status')
export class StatusController {
  constructor(
    private readonly health: PlatformHealth,
    private readonly options: PortalOptions,
  ) {}

  @Get()
  @Permits('platform.see')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = operatorTextsOf(viewer);
    const asked = queryOf(request).get('span') ?? '';
    const platform = await this.health.of(isSpan(asked) ? asked : 'day');
    const look = { viewer, texts, zone: this.options.timezone };
    const content = statusPage(platform, look);
    const title = texts.platform.title;
    sendPage(request, reply, { title, content, place: 'status', refresh: 30 });
  }
}
