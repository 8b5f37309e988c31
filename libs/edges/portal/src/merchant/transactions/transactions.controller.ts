import { Database, ReadDatabase } from '#infra/postgres';
import { dropSavedView, keepSavedView, listSavedViews } from '#records/people';
import { EventStore, type Position } from '#domain/event-sourcing';
import { rawQuery } from '#shared/http';
import { boundsOfDay, findBalance, findBalanceAsOf, positionBefore } from '#views/balances';
import {
  findOwnItems,
  type ItemName,
  listTransactions,
  listTransactionsAsOf,
  type TransactionsPage,
} from '#views/transactions';
import { PastReads, projectedPrefixes } from '#views/view-set';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { ifAvailable } from '../../page/if-available.js';
import { doneOf, seeOtherPage, sendPage } from '../../page/page.js';
import { itemAddress, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { MerchantPagesOptions } from '../options.js';
import {
  type AsOf,
  type ListQuery,
  readListQuery,
  type ReadQuery,
  searchOf,
} from './list-query.js';
import { foundPage, maxWordLength } from './found-page.js';
import { maxNameLength, transactionsPage, type TransactionsModel } from './transactions-page.js';

/** Transactions on a page. */
const pageSize = 50;

/** Reads the list and the balances, both at one position (POR-16). */
@Injectable()
export class TransactionsReader {
  constructor(
    private readonly database: ReadDatabase,
    private readonly store: EventStore,
    private readonly past: PastReads,
    private readonly options: MerchantPagesOptions,
  ) {}

  /**
   * @returns `'future'` if the query asks for a moment that has not come yet (POR-83)
   * @throws DependencyUnavailable
   */
  async read(
    place: Place,
    query: ListQuery,
  ): Promise<NonNullable<TransactionsModel['shown']> | 'future'> {
    const page = pageOf(place, query);
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const accounts = place.accounts.map(({ accountNo }) => ({ ...place, accountNo }));
    if (query.at !== undefined) {
      const position = await this.positionOf(place, query.at);
      if (position === undefined) return 'future';
      return this.past.run(place.merchantId, async (past) => ({
        list: await listTransactionsAsOf(past, page, position, bound),
        balances: await inTurn(accounts, (of) => findBalanceAsOf(past, of, position, bound)),
      }));
    }
    return this.database.transaction(
      async (snapshot) => ({
        list: await listTransactions(snapshot, page, bound),
        balances: await inTurn(accounts, (of) => findBalance(snapshot, of, bound)),
      }),
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  /**
   * The merchant's own items with a reference or M-Pesa's receipt.
   * @throws DependencyUnavailable
   */
  find(place: Place, word: string): Promise<readonly ItemName[]> {
    return findOwnItems(this.database, place, word, { maxAgeMs: this.options.readModelMaxAgeMs });
  }

  /** Returns the position to show, or undefined if the day has not begun or the log has not come to the position yet. */
  private async positionOf({ timezone }: Place, at: AsOf): Promise<Position | undefined> {
    if ('position' in at) {
      const end = await this.store.head(projectedPrefixes);
      return at.position > end ? undefined : at.position;
    }
    const { begins, ends, now } = await boundsOfDay(this.database, at.day, timezone);
    if (begins > now) return undefined;
    return positionBefore({ database: this.database, store: this.store }, ends);
  }
}

function pageOf({ merchantId, mode }: Place, query: ListQuery): TransactionsPage {
  const { at: _at, ...filters } = query;
  return { merchantId, mode, ...filters, limit: pageSize };
}

/**
 * Runs the searches one after another: a merchant has few accounts.
 * @returns those that were found
 */
async function inTurn<Of, Found>(
  each: readonly Of[],
  find: (of: Of) => Promise<Found | undefined>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const of of each) {
    const one = await find(of);
    if (one !== undefined) found.push(one);
  }
  return found;
}

@Controller('portal/merchants/:merchantId/:mode')
export class TransactionsController {
  constructor(
    private readonly places: Places,
    private readonly reader: TransactionsReader,
    private readonly database: Database,
  ) {}

  @Get('transactions')
  @Permits('transactions.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const typed = readListQuery(new URLSearchParams(rawQuery(request)));
    const views = await listSavedViews(this.database, viewer.person, place);
    const found =
      typed.wrong.length > 0 ? undefined : await ifAvailable(this.reader.read(place, typed.query));
    const read: ReadQuery = found === 'future' ? { ...typed, wrong: ['at'] } : typed;
    const shown = found === 'future' ? undefined : found;
    sendPage(request, reply, {
      title: texts.sections.transactions,
      place: 'transactions',
      content: transactionsPage({ place, read, shown, views }, { viewer, texts }),
      done: doneWord(request, texts.list.views),
      ...(read.wrong.length > 0 && { status: 422, isFault: true }),
    });
  }

  /**
   * The search is a form, so that a text that is no reference, perhaps a customer's number, is in no address and no log
   * (POR-59).
   */
  @Post('transactions/find')
  @Permits('transactions.see')
  async find(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const word = (postedForm(request).get('word') ?? '').trim().slice(0, maxWordLength);
    const found = word === '' ? [] : await this.reader.find(place, word);
    const [only, ...others] = found;
    if (only && others.length === 0) {
      seeOtherPage(reply, itemAddress(place, only));
      return;
    }
    sendPage(request, reply, {
      title: texts.list.find.title,
      place: 'transactions',
      content: foundPage({ place, word, found }, { viewer, texts }),
    });
  }

  @Post('transactions/views')
  @Permits('transactions.see')
  async keep(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { person } = viewerOf(request);
    const place = await this.places.of(request);
    const posted = postedForm(request);
    const name = (posted.get('name') ?? '').trim();
    const { query } = readListQuery(new URLSearchParams(posted.get('query') ?? ''));
    const { before: _before, ...kept } = query;
    const search = searchOf(kept);
    const isNamed = name !== '' && name.length <= maxNameLength;
    const isKept =
      isNamed && (await keepSavedView(this.database, person, place, { name, query: search }));
    const done = isKept ? 'kept' : isNamed ? 'too-many' : 'bad-name';
    seeOtherPage(
      reply,
      `${place.base}/transactions?${search}${search === '' ? '' : '&'}done=${done}`,
    );
  }

  @Post('transactions/views/drop')
  @Permits('transactions.see')
  async drop(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const name = postedForm(request).get('name') ?? '';
    await dropSavedView(this.database, viewerOf(request).person, place, name);
    seeOtherPage(reply, `${place.base}/transactions?done=dropped`);
  }
}

/** The message about a saved view, from the query of the page that a form led back to. */
function doneWord(
  request: FastifyRequest,
  words: MerchantTexts['list']['views'],
): string | undefined {
  const told: Readonly<Record<string, string>> = {
    kept: words.kept,
    dropped: words.dropped,
    'too-many': words.tooMany,
    'bad-name': words.badName,
  };
  const done = doneOf(request);
  return done === undefined ? undefined : told[done];
}
