import { Readable } from 'node:stream';
import { Clock } from '#domain/kernel';
import { permits } from '#domain/people';
import { Database } from '#infra/postgres';
import { dropSavedView, keepSavedView, listSavedViews } from '#records/people';
import { rawQuery } from '#shared/http';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { ifAvailable } from '../../page/if-available.js';
import { doneOf, seeOtherPage, sendPage } from '../../page/page.js';
import { clockOf } from '../../page/clock-of.js';
import { accountOf, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { exportLink } from './export-link.js';
import { readListQuery, type ReadQuery, searchOf } from './list-query.js';
import { maxNameLength } from './save-view.js';
import { fileNameOf, transactionsAsCsv } from './transactions-file.js';
import { type TransactionsModel } from './transactions-model.js';
import { TransactionsReader } from './transactions-reader.js';
import { transactionsPage } from './transactions-page.js';

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
    const typed = listQueryOf(request, place);
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
    const read = listQueryOf(request, place);
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
    const { merchantId } = place;
    const clock = clockOf(place, viewer, this.clock.nowMs());
    const views = await listSavedViews(this.database, viewer.person, place);
    const mayExport = permits(viewer.roles, 'transactions.export', merchantId);
    sendPage(request, reply, {
      title: texts.sections.transactions,
      place: 'transactions',
      actions:
        mayExport && model.shown && place.accounts.length > 0
          ? exportLink({ place, query: read.query, rows: model.shown.rows }, texts)
          : undefined,
      content: transactionsPage({ ...model, views, clock }, { viewer, texts }),
      done: doneWord(request, texts.list.views),
      ...(read.wrong.length > 0 && { status: 422, isFault: true }),
    });
  }
}

/** @throws Problem not_found if the account is not the place's (POR-15) */
function listQueryOf(request: FastifyRequest, place: Place): ReadQuery {
  const read = readListQuery(new URLSearchParams(rawQuery(request)));
  if (read.query.account !== undefined) accountOf(place, read.query.account);
  return read;
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
