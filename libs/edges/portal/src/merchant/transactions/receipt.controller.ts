import { onRail } from '#shared/glossary';
import { Clock, writeJson } from '#domain/kernel';
import { html } from '#shared/html';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { viewerOf } from '../../access/viewer.js';
import { clockOf } from '../../page/clock-of.js';
import { icon } from '../../page/icons.js';
import { ifAvailable } from '../../page/if-available.js';
import { sendPage } from '../../page/page.js';
import { itemAddress, notFound, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { Items } from './items.controller.js';
import { receiptPage } from './receipt-page.js';
import { phoneOf, timelineOf } from './timeline.js';

/** The receipt of a collection or payout: as a page to print, and as a file to check. */
@Controller('portal/merchants/:merchantId/:mode/items/:type/:reference')
@Permits('transactions.see')
export class ReceiptController {
  constructor(
    private readonly places: Places,
    private readonly items: Items,
    private readonly clock: Clock,
  ) {}

  /** Only a completed item has this page: until then no one can say that it is paid. */
  @Get('receipt')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const found = await this.items.find(request, place);
    const { item, events } = found;
    const texts = onRail(merchantTexts(viewer), item.channel);
    if (item.status !== 'completed') throw notFound();
    const proof = await ifAvailable(this.items.receiptOf(found));
    const clock = clockOf(place, viewer, this.clock.nowMs());
    const { receipt: words } = texts.item;
    const address = itemAddress(place, item);
    const phone = phoneOf(timelineOf(events));
    sendPage(request, reply, {
      title: words.of(item.reference),
      place: 'transactions',
      heading: html`${words.title}`,
      back: { href: address, text: texts.item.title(item.type, item.reference) },
      actions: html`<a class="button secondary" href="${address}/receipt.json" download
          >${icon('export')} ${words.file}</a
        >
        <button type="button" class="print">${words.print}</button>`,
      content: receiptPage({ place, clock, item, phone, proof }, texts),
    });
  }

  /** The same answer as GET …/receipt of the API, as a file: verifier/verify.mjs checks it offline. */
  @Get('receipt.json')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const receipt = await this.items.receiptOf(await this.items.find(request, place));
    void reply
      .header('Content-Disposition', 'attachment; filename="receipt.json"')
      .type('application/json; charset=utf-8')
      .send(Buffer.from(writeJson(receipt)));
  }
}
