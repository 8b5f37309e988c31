import { listedReferencePattern, PhoneVault } from '#domain/collections';
import { Clock } from '#domain/kernel';
import { ReadDatabase } from '#infra/postgres';
import { findOwnItems, type FoundItems, type OwnSearch } from '#views/transactions';
import { Controller, Injectable, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { clockOf } from '../../page/clock-of.js';
import { seeOtherPage, sendPage } from '../../page/page.js';
import { typedPhone } from '../../text/typed-phone.js';
import { MerchantPagesOptions } from '../options.js';
import { itemAddress, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { foundPage, type SearchResult } from './found-page.js';

/** Fewest characters of the beginning of a reference: fewer would find almost everything. */
const fewestCharacters = 4;

function isBeginning(text: string): boolean {
  return text.length >= fewestCharacters && listedReferencePattern.test(text);
}

/** Finds a merchant's own payments by a text that a person typed. */
@Injectable()
export class PaymentSearch {
  constructor(
    private readonly database: ReadDatabase,
    private readonly vault: PhoneVault,
    private readonly options: MerchantPagesOptions,
  ) {}

  /**
   * The merchant's own items that a typed text finds: by the whole reference or receipt, else by the customer's number,
   * else by the beginning of the reference (POR-59).
   * @throws DependencyUnavailable
   */
  async find(place: Place, text: string): Promise<SearchResult> {
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const find = (search: OwnSearch): Promise<FoundItems> =>
      findOwnItems(this.database, place, search, bound);
    const whole = await find({ word: text });
    if (whole.items.length > 0) return { ...whole, by: 'word' };
    const phone = typedPhone(text);
    if (phone !== undefined) {
      const { phoneHmac, phoneMasked } = this.vault.tracesOf(phone);
      const ofPhone = await find({ phoneHmac });
      if (ofPhone.items.length > 0) return { ...ofPhone, by: 'phone', phoneMasked };
    }
    if (!isBeginning(text)) return { ...whole, by: 'word' };
    return { ...(await find({ beginning: text })), by: 'beginning' };
  }
}

/** A reference has at most 64 characters; a receipt and a phone number have fewer. */
const maxWordLength = 64;

@Controller('portal/merchants/:merchantId/:mode')
export class SearchController {
  constructor(
    private readonly places: Places,
    private readonly search: PaymentSearch,
    private readonly clock: Clock,
  ) {}

  /** The search is a form, so that a customer's number is in no address and no log (POR-59). */
  @Post('transactions/find')
  @Permits('transactions.see')
  async find(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const word = (postedForm(request).get('word') ?? '').trim().slice(0, maxWordLength);
    const found = word === '' ? undefined : await this.search.find(place, word);
    const [only, ...others] = found?.items ?? [];
    if (only && others.length === 0) {
      seeOtherPage(reply, itemAddress(place, only));
      return;
    }
    const clock = clockOf(place, viewer, this.clock.nowMs());
    sendPage(request, reply, {
      title: texts.list.find.title,
      place: 'transactions',
      searched: word,
      back: { href: `${place.base}/transactions`, text: texts.sections.transactions },
      content: foundPage({ place, clock, word, found }, texts),
    });
  }
}
