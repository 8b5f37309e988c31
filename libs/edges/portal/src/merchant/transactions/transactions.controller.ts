import { Readable } from 'node:stream';
import { Clock } from '#domain/kernel';
import { permits } from '#domain/people';
import { Database, ReadDatabase } from '#infra/postgres';
import { dayAt } from '#infra/runtime';
import { dropSavedView, keepSavedView, listSavedViews } from '#records/people';
import { EventStore, type Position } from '#domain/event-sourcing';
import { html, type Html } from '#shared/html';
import { rawQuery } from '#shared/http';
import { boundsOfDay, findBalance, findBalanceAsOf, positionBefore } from '#views/balances';
import {
  findOwnItems,
  type ItemName,
  type ListedTransactions,
  listTransactions,
  listTransactionsAsOf,
  type TransactionItem,
  type TransactionsPage,
} from '#views/transactions';
import { PastReads, projectedPrefixes, type ReadBound } from '#views/view-set';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { icon } from '../../page/icons.js';
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
import { maxNameLength } from './list-tabs.js';
import { fileNameOf, transactionsAsCsv } from './transactions-file.js';
import { type TransactionsModel } from './transactions-model.js';
import { transactionsPage } from './transactions-page.js';

/** Transactions on a page. */
const pageSize = 50;
/** Transactions that one statement of an export reads. */
const exportPageSize = 500;

/** Reads the list and the balances, both at one position (POR-16). */
@Injectable()
export class TransactionsReader {
  constructor(
    private readonly database: ReadDatabase,
    private readonly store: EventStore,
    private readonly past: PastReads,
    private readonly options: MerchantPagesOptions,
  ) {}

  private get bound(): ReadBound {
    return { maxAgeMs: this.options.readModelMaxAgeMs };
  }

  /**
   * @returns `'future'` if the query asks for a moment that has not come yet (POR-83)
   * @throws DependencyUnavailable
   */
  async read(
    place: Place,
    query: ListQuery,
  ): Promise<NonNullable<TransactionsModel['shown']> | 'future'> {
    const page = pageOf(place, query, pageSize);
    const { bound } = this;
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
   * Everything that the filters match, the newest first, read page by page while the caller takes it (POR-25). The
   * first page is read at once, so that an outage is an answer and not a broken file.
   * @returns `'future'` if the query asks for a moment that has not come yet
   * @throws DependencyUnavailable
   */
  async export(
    place: Place,
    { before: _before, ...query }: ListQuery,
  ): Promise<AsyncIterable<TransactionItem> | 'future'> {
    const position = query.at && (await this.positionOf(place, query.at));
    if (query.at !== undefined && position === undefined) return 'future';
    const pageBefore = (before?: Position): Promise<ListedTransactions> => {
      const from = { ...query, ...(before === undefined ? {} : { before }) };
      if (position === undefined)
        return listTransactions(this.database, pageOf(place, from, exportPageSize), this.bound);
      const page = pageOf(place, from, pageSize);
      return this.past.run(place.merchantId, (past) =>
        listTransactionsAsOf(past, page, position, this.bound),
      );
    };
    return itemsFrom(await pageBefore(), pageBefore);
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

function pageOf({ merchantId, mode }: Place, query: ListQuery, limit: number): TransactionsPage {
  const { at: _at, ...filters } = query;
  return { merchantId, mode, ...filters, limit };
}

async function* itemsFrom(
  first: ListedTransactions,
  pageBefore: (before: Position) => Promise<ListedTransactions>,
): AsyncGenerator<TransactionItem, void, void> {
  for (let page = first; ;) {
    yield* page.items;
    if (page.next === undefined) return;
    page = await pageBefore(page.next);
  }
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
    private readonly clock: Clock,
  ) {}

  @Get('transactions')
  @Permits('transactions.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const typed = readListQuery(new URLSearchParams(rawQuery(request)));
    const found =
      typed.wrong.length > 0 ? undefined : await ifAvailable(this.reader.read(place, typed.query));
    await this.show(request, reply, {
      place,
      read: found === 'future' ? { ...typed, wrong: ['at'] } : typed,
      shown: found === 'future' ? undefined : found,
    });
  }

  /** Streams the filtered list while it is read (POR-25). Filters that cannot be right lead back to the list. */
  @Get('transactions/export.csv')
  @Permits('transactions.export')
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const read = readListQuery(new URLSearchParams(rawQuery(request)));
    const items = read.wrong.length > 0 ? undefined : await this.reader.export(place, read.query);
    if (items === undefined || items === 'future') {
      const wrong: ReadQuery['wrong'] = items === 'future' ? ['at'] : read.wrong;
      await this.show(request, reply, { place, read: { ...read, wrong }, shown: undefined });
      return;
    }
    void reply
      .header('Content-Disposition', `attachment; filename="${fileNameOf(read.query)}"`)
      .type('text/csv; charset=utf-8')
      .send(Readable.from(transactionsAsCsv(items, place)));
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

  private async show(
    request: FastifyRequest,
    reply: FastifyReply,
    model: Pick<TransactionsModel, 'place' | 'read' | 'shown'>,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const { place, read } = model;
    const { timezone, merchantId } = place;
    const { language } = viewer;
    const clock = { timezone, language, today: dayAt(this.clock.nowMs(), timezone) };
    const views = await listSavedViews(this.database, viewer.person, place);
    const mayExport = permits(viewer.roles, 'transactions.export', merchantId);
    sendPage(request, reply, {
      title: texts.sections.transactions,
      place: 'transactions',
      actions: mayExport && model.shown ? exportLink(place, read.query, texts) : undefined,
      content: transactionsPage({ ...model, views, clock }, { viewer, texts }),
      done: doneWord(request, texts.list.views),
      ...(read.wrong.length > 0 && { status: 422, isFault: true }),
    });
  }
}

function exportLink(
  { base }: Place,
  { before: _before, ...query }: ListQuery,
  { list }: MerchantTexts,
): Html {
  const search = searchOf(query);
  const address = `${base}/transactions/export.csv${search === '' ? '' : `?${search}`}`;
  return html`<a class="button secondary" href="${address}" download
    >${icon('export')} ${list.export}</a
  >`;
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
