import { PhoneVault } from '#domain/collections';
import { Clock } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { findAccountOwner } from '#views/balances';
import { Cases, itemOf } from '#desk/operators';
import { findMerchants } from '#views/merchants';
import { findStreamsByPhone, itemSummaries } from '#views/transactions';
import { Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { viewerOf } from '../access/viewer.js';
import { ifAvailable } from '../page/if-available.js';
import { seeOtherPage, sendPage } from '../page/page.js';
import { typedPhone } from '../text/typed-phone.js';
import { findPage, type FindPage } from './find-page.js';
import { itemHref, pageSize } from './page-context.js';
import { PageContexts } from './page-contexts.js';

/** Most events that one search reads: the same event loop also serves merchants. */
const maxEvents = 20_000;
const dayMs = 86_400_000;

type Results = Pick<FindPage, 'streams' | 'merchants' | 'account' | 'gaveUp'>;
const nothing: Results = { streams: [], merchants: [], account: undefined, gaveUp: false };
/** Most merchants that one search shows; the directory has all. */
const maxMerchants = 10;

/** Finds what any word that a person has belongs to. */
@Injectable()
export class Search {
  /** True while a search reads the history. Others must wait. */
  private busy = false;

  constructor(
    private readonly cases: Cases,
    private readonly database: Database,
    private readonly vault: PhoneVault,
    private readonly clock: Clock,
  ) {}

  /** Searches by an index. */
  async byIndex(word: string): Promise<Results> {
    const isNumber = /^\d{1,32}$/.test(word);
    const [streams, account, merchants] = await Promise.all([
      this.cases.findIndexed(word),
      isNumber ? findAccountOwner(this.database, word) : undefined,
      isNumber ? [] : findMerchants(this.database, { text: word, after: '', limit: maxMerchants }),
    ]);
    return { ...nothing, streams, account, merchants };
  }

  /** @returns undefined while another search reads the history */
  inHistory(word: string, since: string): Promise<Results | undefined> {
    return this.alone(async () => ({
      ...nothing,
      ...(await this.cases.findInLog(word, { since, maxEvents })),
    }));
  }

  /** Searches by an index as well, of the number's digest. */
  async byPhone(phone: string): Promise<Results> {
    const { phoneHmac } = this.vault.tracesOf(phone);
    const found = await findStreamsByPhone(this.database, phoneHmac, pageSize + 1);
    return { ...nothing, streams: found.map((stream) => ({ stream, by: 'phone' as const })) };
  }

  /** The amount, status and time of the found items. The search answers without them while the views are away. */
  summaries(streams: readonly string[]) {
    return ifAvailable(itemSummaries(this.database, streams));
  }

  yesterday(): string {
    return new Date(this.clock.nowMs() - dayMs).toISOString().slice(0, 10);
  }

  private async alone(search: () => Promise<Results>): Promise<Results | undefined> {
    if (this.busy) return undefined;
    this.busy = true;
    try {
      return await search();
    } finally {
      this.busy = false;
    }
  }
}

@Controller('portal/find')
@Permits('items.find')
export class FindController {
  constructor(
    private readonly search: Search,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  empty(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply, {});
  }

  /** The search is a form, so that no number is in an address or a log: the rail's own id ends in one. */
  @Post()
  async find(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = (postedForm(request).get('q') ?? '').trim().slice(0, 100);
    const phone = typedPhone(asked);
    if (asked === '') await this.send(request, reply, {});
    else if (phone !== undefined)
      await this.answer(request, reply, {
        wasSearched: true,
        ...(await this.search.byPhone(phone)),
      });
    else await this.answer(request, reply, { asked, ...(await this.search.byIndex(asked)) });
  }

  /** The search reads the history, so it is a form: no other site can make a browser start it. */
  @Post('history')
  async history(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = postedForm(request);
    const asked = (form.get('code') ?? '').trim().slice(0, 100);
    const since = dayOf(form.get('since')) ?? this.search.yesterday();
    const found = asked === '' ? nothing : await this.search.inHistory(asked, since);
    await this.answer(request, reply, { asked, since, ...found, isHistory: true, isBusy: !found });
  }

  /** The search is a form for the same reason. The page does not repeat the number. */
  @Post('phone')
  async phone(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const phone = typedPhone(postedForm(request).get('phone') ?? '');
    if (phone === undefined) {
      await this.send(request, reply, { wrongPhone: true });
      return;
    }
    const found = await this.search.byPhone(phone);
    await this.answer(request, reply, { wasSearched: true, ...found });
  }

  /** Shows the results. A single one leads straight to its page. */
  private async answer(request: FastifyRequest, reply: FastifyReply, page: Answer): Promise<void> {
    const { streams = [], account, merchants = [] } = page;
    const [only, ...others] = streams;
    const isAlone = others.length === 0 && !account && merchants.length === 0;
    const item = only && isAlone ? itemOf(only.stream) : undefined;
    if (item) seeOtherPage(reply, itemHref(item));
    else await this.send(request, reply, page);
  }

  private async send(request: FastifyRequest, reply: FastifyReply, page: Answer): Promise<void> {
    const { streams = [] } = page;
    const summaries = await this.search.summaries(streams.map(({ stream }) => stream));
    const context = await this.contexts.naming(viewerOf(request), {
      merchants: streams.flatMap(({ stream }) => itemOf(stream)?.key.merchantId ?? []),
    });
    const { isBusy = false, ...shown } = page;
    const content = findPage(
      {
        asked: undefined,
        wrongPhone: false,
        since: this.search.yesterday(),
        ...nothing,
        wasSearched: shown.asked !== undefined,
        ...(summaries && { summaries }),
        isBusy,
        ...shown,
      },
      context,
    );
    const status = shown.wrongPhone === true ? 422 : isBusy ? 503 : 200;
    sendPage(request, reply, { title: context.texts.find.title, content, place: 'find', status });
  }
}

type Answer = Partial<FindPage>;

function dayOf(text: string | null): string | undefined {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  return Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? undefined : text;
}
