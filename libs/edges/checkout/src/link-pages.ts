import { Injectable } from '@nestjs/common';
import { V3Gate } from '#edges/v3-gate';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { stateWord } from './attempts/payment-state.js';
import { CheckoutFault } from './checkout-fault.js';
import { Forms } from './form/forms.js';
import { KeptNumbers } from './form/kept-numbers.js';
import { v3UseOf } from './link/v3-link.js';
import { type Opened, OpenedLinks } from './opened.js';
import { barePage } from './page/fault-page.js';
import { type Place } from './page/document.js';
import { pageHeaders } from './page/page-headers.js';
import { type FormProblem, type PayForm } from './page/pay-form.js';
import { linkPage, refreshAfter } from './page/state-page.js';
import { type FormAgain } from './payments.js';
import { returnAddress } from './result/return-address.js';

/** A request with its reply and the place of its page. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly place: Place;
}

const problemStatuses = { invalid_phone: 422, stale_form: 403 } as const satisfies Record<
  FormProblem,
  number
>;

/** Writes the pages of links that open. */
@Injectable()
export class LinkPages {
  constructor(
    private readonly links: OpenedLinks,
    private readonly forms: Forms,
    private readonly v3: V3Gate,
    private readonly numbers: KeptNumbers,
  ) {}

  /** Shows the page without any link, which says what this address is. */
  explain({ reply, place }: Exchange): void {
    void reply.headers(pageHeaders(place.language)).send(barePage(place));
  }

  /** Shows what the link is for, or its outcome. @throws CheckoutFault, DependencyUnavailable */
  async show(exchange: Exchange): Promise<void> {
    const { request, place } = exchange;
    const opened = await this.links.of(request, place).catch((thrown: unknown) => {
      this.noteRefused(request, thrown);
      throw thrown;
    });
    this.noteV3(request, opened);
    this.write(exchange, opened, { phone: this.phoneFor(exchange, opened) });
  }

  /** Returns the number that the form begins with: the one that this browser sent before, or that of the link. */
  private phoneFor({ request, reply, place }: Exchange, { link, state, next }: Opened): string {
    if (next !== undefined) return this.numbers.of(request, link) ?? link.phone;
    if (state.kind !== 'waiting') this.numbers.forget({ request, reply, path: place.path }, link);
    return link.phone;
  }

  /** Counts SHA-1 links. V3's end depends on which merchants' customers still use them, and how often. */
  private noteV3(request: FastifyRequest, { link, newest }: Opened): void {
    if (link.version !== 'v3') return;
    const use = v3UseOf(link.account.merchantId, link.values);
    this.v3.noteLink(request, { ...use, isFirstLook: newest === undefined });
  }

  /**
   * Counts links that lead nowhere too, because their customers are also their merchant's: V3 must not end without
   * noticing them.
   */
  private noteRefused(request: FastifyRequest, thrown: unknown): void {
    if (!(thrown instanceof CheckoutFault) || !thrown.v3Use) return;
    this.v3.noteLink(request, { ...thrown.v3Use, isFirstLook: true });
  }

  /** Shows the form again. */
  showAgain(exchange: Exchange, { opened, phone, problem }: FormAgain): void {
    void exchange.reply.code(problemStatuses[problem]);
    this.write(exchange, opened, { phone, problem });
  }

  private write(
    exchange: Exchange,
    opened: Opened,
    typed: Pick<PayForm, 'phone' | 'problem'>,
  ): void {
    const { request, reply, place } = exchange;
    const { link, newest, state, next, nowMs } = opened;
    const returnHref = newest && returnAddress(link, newest, nowMs);
    const form: PayForm | undefined =
      next === undefined
        ? undefined
        : {
            ...typed,
            attempt: next,
            token: this.forms.token(request, reply, { link, attempt: next }),
          };
    const page = linkPage({
      place,
      link,
      state,
      nowMs,
      ...(form === undefined ? {} : { form }),
      ...(returnHref === undefined ? {} : { returnHref }),
    });
    void reply
      .headers(pageHeaders(place.language))
      .headers({
        'Checkout-State': stateWord(state),
        'Checkout-Again': refreshAfter(state, nowMs) ?? 0,
      })
      .send(page);
  }
}
