import { type Clock, type Minor, ok, refuse, type Result } from '#domain/kernel';
import { type Callbacks, minorFromShillings } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type C2bUrls, noticeBody, type NoticeWords } from './c2b-notice.js';
import { compactTime } from './east-africa-time.js';
import { type Fault, faults, invalidField, refuseWith } from './faults.js';
import { readRegistration } from './fields.js';
import type { Memory } from './memory.js';
import { lineOf, newRequestId, type PaidLine, type Payment } from './payment.js';
import type { Settings } from './settings.js';

/** Daraja waits about this long for an answer to a validation. */
const validationMs = 8000;
const maxTold = 5;

/** A payment as the test hook asks for it. */
interface Asked {
  readonly line: Omit<PaidLine, 'receipt' | 'paidAtMs' | 'begunAtMs'>;
  /** The number of confirmations; 0 loses the only one. */
  readonly tell: number;
  readonly isValidated: boolean;
  readonly words: Partial<NoticeWords>;
  /** A receipt that was used before: the notice is sent again, and nothing is paid. */
  readonly receipt: string | undefined;
}

/** Payments without a push (C2B): registration of addresses, validation, confirmations. */
export class C2b {
  private isEchoing = false;
  private isFirst = false;

  constructor(
    private readonly settings: Pick<Settings, 'shortcode'>,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly callbacks: Callbacks,
  ) {}

  readonly register =
    (version: C2bUrls['version']) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const read = readRegistration(request.body, this.settings);
      if (!read.ok) return refuseWith(reply, read.refusal);
      if (this.memory.c2bUrls) return refuseWith(reply, faults.registeredUrls);
      await this.memory.setC2bUrls({ version, ...read.value });
      return reply.send({
        // As Daraja spells it.
        OriginatorCoversationID: newRequestId(),
        ResponseCode: '0',
        ResponseDescription: 'Success',
      });
    };

  /** Deletes the addresses, as an organisation does in its portal. */
  readonly forget = async (
    _request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    await this.memory.setC2bUrls(undefined);
    return reply.send({});
  };

  /** With `{"echo": true}` a paid push is reported as C2B as well; with `"first": true` before its own callback. */
  readonly echoBy = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { echo, first } = membersOf(request.body);
    this.isEchoing = echo === true;
    this.isFirst = this.isEchoing && first === true;
    return reply.send({ echo: this.isEchoing, first: this.isFirst });
  };

  /** A customer pays. */
  readonly pay = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = askedIn(membersOf(request.body));
    if (!asked.ok) return refuseWith(reply, asked.refusal);
    const { line: of, tell, isValidated, words, receipt } = asked.value;
    const atMs = this.clock.nowMs();
    const line: PaidLine = {
      ...of,
      receipt: receipt ?? this.memory.receipts.make(atMs),
      paidAtMs: atMs,
      begunAtMs: atMs,
    };
    const answer = { TransID: line.receipt, TransTime: compactTime(atMs) };
    const rejected = isValidated ? await this.rejectionOf(line, words) : undefined;
    if (rejected !== undefined) return reply.send({ ...answer, rejected });
    if (receipt === undefined) await this.memory.receive(line);
    for (let count = 0; count < tell; count += 1) void this.confirm(line, words);
    return reply.send(answer);
  };

  /** Reports a paid push as C2B, before or after its own callback. */
  async echo(payment: Payment, side: 'before' | 'after'): Promise<void> {
    const isDue = this.isEchoing && this.isFirst === (side === 'before');
    if (isDue) await this.confirm(lineOf(payment), {});
  }

  /** @returns Daraja's code for the refusal; undefined if the payment may go on */
  private async rejectionOf(
    line: PaidLine,
    words: Partial<NoticeWords>,
  ): Promise<string | undefined> {
    const urls = this.memory.c2bUrls;
    if (!urls) return undefined;
    const body = noticeBody(line, { ...this.wordsOf(urls, undefined), ...words });
    const answer = await this.callbacks.ask(urls.validationUrl, body, validationMs);
    if (answer === undefined) return urls.responseType === 'Cancelled' ? 'no_answer' : undefined;
    const code = String(answer['ResultCode']);
    return code === '0' ? undefined : code;
  }

  private async confirm(line: PaidLine, words: Partial<NoticeWords>): Promise<void> {
    const urls = this.memory.c2bUrls;
    if (!urls) return;
    await this.callbacks.send({
      url: urls.confirmationUrl,
      body: noticeBody(line, { ...this.wordsOf(urls, this.memory.workingMinor), ...words }),
      about: { receipt: line.receipt },
    });
  }

  private wordsOf({ version }: C2bUrls, balanceMinor: Minor | undefined): NoticeWords {
    return { version, shortCode: this.settings.shortcode, balanceMinor };
  }
}

const types = ['Pay Bill', 'Buy Goods', 'Customer Merchant Payment'] as const;

function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  return (body ?? {}) as Readonly<Record<string, unknown>>;
}

function askedIn(body: Readonly<Record<string, unknown>>): Result<Asked, Fault> {
  const { phone = '254712345678', amount, billReference = '', type = types[0], tell = 1 } = body;
  const { receipt, shortCode, validate } = body;
  const amountMinor = typeof amount === 'string' ? minorFromShillings(amount) : undefined;
  if (typeof phone !== 'string' || !/^254[17]\d{8}$/.test(phone))
    return refuse(invalidField('phone'));
  if (amountMinor === undefined || amountMinor < 1n) return refuse(invalidField('amount'));
  if (typeof billReference !== 'string' || billReference.length > 20)
    return refuse(invalidField('billReference'));
  const wanted = types.find((each) => each === type);
  if (!wanted) return refuse(invalidField('type'));
  if (typeof tell !== 'number' || !Number.isInteger(tell) || tell < 0 || tell > maxTold)
    return refuse(invalidField('tell'));
  const way = wanted === types[0] ? 'pay_bill' : 'till';
  return ok({
    line: { amountMinor, phone, way, account: way === 'till' ? '' : billReference },
    tell,
    isValidated: validate === true,
    words: { type: wanted, ...(typeof shortCode === 'string' ? { shortCode } : {}) },
    receipt: typeof receipt === 'string' ? receipt : undefined,
  });
}
