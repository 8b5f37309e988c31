import { DependencyUnavailable } from '#domain/kernel';
import { missedMoney } from '#records/rails';
import { failingEndpoints } from '#records/webhooks';
import { isFault, PlatformSources, platformStanding, RailWatch } from '#desk/operators';
import { countReviews, reviewsBegun } from '#views/reviews';
import { recentCollections } from '#views/transactions';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits, ShownWhenDown } from '../access/permits.js';
import { isByPass, type Viewer, viewerOf } from '../access/viewer.js';
import { sendPage } from '../page/page.js';
import { answered } from './answered.js';
import { PlatformMoneyReader } from './platform-money.js';
import { queryOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { isSpan, type Span, spans } from './spans.js';
import { unknownViewer } from './unknown-viewer.js';
import { statusPage } from './status-page.js';
import { type Answered, type Platform } from './status-parts.js';
import { operatorTextsOf } from './texts-of.js';
import { type WaitingShares } from './waiting-shares.js';
import { WaitingForTwo } from './waiting.controller.js';

/** Most rows of a part's list. */
const maxShown = 10;

/** Reads the state of each part of the platform. A part that cannot be read does not hide the others. */
@Injectable()
export class PlatformHealth {
  constructor(
    private readonly sources: PlatformSources,
    private readonly rails: RailWatch,
    private readonly money: PlatformMoneyReader,
    private readonly waiting: WaitingForTwo,
  ) {}

  /** @param isByPass true if the viewer's sign-in could not be checked; then no data of merchants is read (POR-81) */
  async of(span: Span, isByPass: boolean, viewer: Viewer): Promise<Platform> {
    const { sources, rails } = this;
    const { database, clock } = sources.servers;
    const parts = await platformStanding(sources);
    const dead = new Set(parts.filter(isFault).map(({ what }) => what));
    const told = async <Facts>(
      ask: () => Promise<Facts>,
      of: 'rows' | "merchants' rows" | 'float' | 'log',
    ): Promise<Answered<Facts>> => {
      if (isByPass && of !== 'rows') return { hidden: true };
      const server = serverOf[of];
      return dead.has(server) ? { problem: `${server} does not answer` } : answered(ask);
    };
    const [approvals, reviews, failing, missed, circuits, floats, balances, recent, money] =
      await Promise.all([
        told(() => this.approvals(viewer), "merchants' rows"),
        told(() => countReviews(database), 'rows'),
        told(() => failingEndpoints(database, maxShown), "merchants' rows"),
        told(() => missedMoney(database, maxShown), "merchants' rows"),
        answered(() => rails.circuits()),
        told(() => rails.floats(), 'float'),
        told(() => rails.balances(), 'log'),
        told(
          async () => ({
            collections: await recentCollections(database, spans[span]),
            reviewsBegun: await reviewsBegun(database, spans[span]),
          }),
          "merchants' rows",
        ),
        told(() => this.money.read(), "merchants' rows"),
      ]);
    const now = new Date(clock.nowMs());
    const { installation } = sources.given;
    const of = {
      parts,
      approvals,
      reviews,
      failing,
      missed,
      circuits,
      floats,
      balances,
      recent,
      money,
    };
    return { ...of, span, now, installation, isByPass };
  }

  private async approvals(viewer: Viewer): Promise<WaitingShares> {
    const shares = await this.waiting.shares(viewer);
    if (!shares)
      throw new DependencyUnavailable('read model', 'a kind of approvals cannot be read');
    return shares;
  }
}

/** The server that each kind of facts needs. */
const serverOf = {
  rows: 'postgres',
  "merchants' rows": 'postgres',
  float: 'redis',
  log: 'event store',
} as const;

@Controller('portal/status')
export class StatusController {
  constructor(
    private readonly health: PlatformHealth,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  @Permits('platform.see')
  @ShownWhenDown()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const byPass = isByPass(request);
    const viewer = byPass ? unknownViewer(request) : viewerOf(request);
    const texts = operatorTextsOf(viewer);
    const asked = queryOf(request).get('span') ?? '';
    const platform = await this.health.of(isSpan(asked) ? asked : 'day', byPass, viewer);
    const failing = 'facts' in platform.failing ? platform.failing.facts.endpoints : [];
    const keys = platform.parts.find((part) => part.what === 'keys');
    const ending = keys && 'facts' in keys ? keys.facts.ending : [];
    const merchants = [...failing, ...ending].map(({ merchantId }) => merchantId);
    const context =
      merchants.length === 0
        ? this.contexts.of(viewer)
        : await this.contexts.naming(viewer, { merchants });
    const content = statusPage(platform, context);
    const title = texts.platform.title;
    sendPage(request, reply, { title, content, place: 'status', refresh: 30 });
  }
}
