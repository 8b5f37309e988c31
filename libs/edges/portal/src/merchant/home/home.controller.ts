import { Clock } from '#domain/kernel';
import { permits } from '#domain/people';
import { Database, ReadDatabase } from '#infra/postgres';
import { listWebhookHealth } from '#records/webhooks';
import { type Balance, type ClosingBalances, closingBalances, findBalance } from '#views/balances';
import { readFigures, readFilterTotal } from '#views/day-figures';
import { listOwnCredentials } from '#views/merchants';
import { listTransactions } from '#views/transactions';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { type Viewer, viewerOf } from '../../access/viewer.js';
import { clockOf } from '../../page/clock-of.js';
import { ifAvailable } from '../../page/if-available.js';
import { sendPage } from '../../page/page.js';
import { labelsOf, merchantPlaces } from '../../page/places.js';
import { MerchantPagesOptions } from '../options.js';
import { type EndingKey, endingKeys } from '../developer/key-end.js';
import { maxCredentials } from '../developer/own-credentials.js';
import { type Place, Places } from '../place.js';
import { LedgerDays } from '../statement/statement.controller.js';
import { merchantTexts } from '../texts-of.js';
import { daysUntil, homeFigures, spanDays } from './home-figures.js';
import { homePage, type HomeModel } from './home-page.js';
import { homeTextsOf } from './home-texts-of.js';

/** Items of the list on the page. */
const latestCount = 5;
/** Accounts with a chart of their own. */
const maxBalances = 4;

/** Reads a merchant's figures, all at one position of the ledger. */
@Injectable()
export class HomeReader {
  constructor(
    private readonly database: ReadDatabase,
    private readonly records: Database,
    private readonly days: LedgerDays,
    private readonly options: MerchantPagesOptions,
  ) {}

  /** @throws DependencyUnavailable */
  async read(place: Place): Promise<NonNullable<HomeModel['shown']>> {
    const { merchantId, mode, accounts, timezone } = place;
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const days = daysUntil(this.days.today(timezone), 2 * spanDays);
    const [from = '', to = ''] = [days[0], days.at(-1)];
    return this.database.transaction(
      async (snapshot) => {
        const whose = { merchantId, mode };
        const reasonsFrom = days[spanDays] ?? from;
        const read = await readFigures(snapshot, { ...whose, from, to, reasonsFrom }, bound);
        const count = async (asked: {
          readonly status?: 'pending_approval';
          readonly underReview?: true;
        }) => {
          const total = await readFilterTotal(
            snapshot,
            { ...whose, ...asked, dateField: 'created_at' },
            bound,
          );
          return total?.currencies.reduce((sum, each) => sum + each.count, 0n) ?? 0n;
        };
        const balances: { balance: Balance; closing: ClosingBalances }[] = [];
        for (const { accountNo } of accounts.slice(0, maxBalances)) {
          const account = { ...whose, accountNo };
          const balance = await findBalance(snapshot, account, bound);
          const closing = await closingBalances(snapshot, account, bound);
          if (balance && closing) balances.push({ balance, closing });
        }
        const latest = await listTransactions(
          snapshot,
          { ...whose, dateField: 'created_at', limit: latestCount },
          bound,
        );
        const currencies = [...new Set(accounts.map(({ currency }) => currency))];
        return {
          figures: currencies.map((currency) => ({
            currency,
            ...homeFigures(read.days, days, currency),
          })),
          reasons: read.reasons,
          approvals: await count({ status: 'pending_approval' }),
          reviews: await count({ underReview: true }),
          balances,
          latest: latest.items,
          phones: latest.phones,
        };
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  /** The merchant's endpoints that fail, for people who may see webhooks. */
  async failing(viewer: Viewer, { merchantId, mode }: Place): Promise<HomeModel['failing']> {
    if (!permits(viewer.roles, 'webhooks.see', merchantId)) return [];
    const health = (await ifAvailable(listWebhookHealth(this.records, merchantId))) ?? [];
    return health.filter((endpoint) => endpoint.mode === mode && endpoint.failures > 0);
  }

  /** The merchant's keys that end soon or have ended, for people who may see keys. */
  async ending(viewer: Viewer, place: Place, nowMs: number): Promise<readonly EndingKey[]> {
    if (!permits(viewer.roles, 'keys.see', place.merchantId)) return [];
    const own = await ifAvailable(listOwnCredentials(this.records, place, maxCredentials));
    return endingKeys(own ?? [], nowMs);
  }
}

/** A merchant's first page: its figures, and the work that waits. */
@Controller('portal/merchants/:merchantId/:mode/home')
@Permits('transactions.see')
export class HomeController {
  constructor(
    private readonly places: Places,
    private readonly reader: HomeReader,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const nowMs = this.clock.nowMs();
    const [shown, failing, ending] = await Promise.all([
      ifAvailable(this.reader.read(place)),
      this.reader.failing(viewer, place),
      this.reader.ending(viewer, place, nowMs),
    ]);
    const clock = clockOf(place, viewer, nowMs);
    const texts = { home: homeTextsOf(viewer), merchant: merchantTexts(viewer) };
    sendPage(request, reply, {
      title: labelsOf(merchantPlaces, viewer.language).home,
      place: 'home',
      content: homePage({ place, clock, shown, failing, ending }, texts),
    });
  }
}
