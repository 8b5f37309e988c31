import { DependencyUnavailable } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildOf, createLogger, type Logger, NestLogger, redactText } from './index.js';
import { LogDestination } from './logger.js';

function capture(): { logger: Logger; lines: () => Record<string, unknown>[]; text: () => string } {
  const written: string[] = [];
  const logger = createLogger({
    app: 'spec',
    level: 'debug',
    destination: { write: (line: string) => written.push(line) },
  });
  return {
    logger,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written.join(''),
  };
}

describe('a log line', () => {
  it('is JSON with level, time, app, message and members', () => {
    const { logger, lines } = capture();
    logger.child({ requestId: 'r-1' }).info({ status: 202, position: 12n }, 'answered');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
        app: 'spec',
        pid: process.pid,
        build: buildOf(),
        requestId: 'r-1',
        status: 202,
        position: '12',
        msg: 'answered',
      },
    ]);
  });

  it('contains an error and its cause', () => {
    const { logger, lines } = capture();
    const error = new DependencyUnavailable('redis', 'no answer', {
      cause: new Error('ECONNRESET'),
    });
    logger.error({ err: error }, 'failed');
    logger.error(error);
    for (const line of lines())
      expect(line['err']).toMatchObject({
        type: 'DependencyUnavailable',
        message: 'redis is unavailable: no answer',
        cause: { message: 'ECONNRESET' },
      });
    expect(lines()[1]?.['msg']).toBe('redis is unavailable: no answer');
  });

  it('contains no secret, whatever member it is in', () => {
    const { logger, text } = capture();
    const secrets = {
      authorization: 'SECRET-1',
      'X-PP-Signature': 'SECRET-2',
      phone: 'SECRET-3',
      client_secret: 'SECRET-4',
      masterKeys: ['SECRET-5'],
      privateKeyPem: 'SECRET-6',
      passkey: 'SECRET-7',
    };
    logger.info(secrets, 'flat');
    logger.info({ request: { headers: secrets, list: [secrets] } }, 'deep');
    logger.child(secrets).info('bound');
    logger.info({ url: 'postgres://user:SECRET-8@host/db', bytes: Buffer.from('SECRET-9') }, 'url');
    expect(text()).not.toMatch(/SECRET/);
    expect(text()).toContain('postgres://user:[redacted]@host/db');
  });

  it('contains no phone number, wherever and however it is written', () => {
    const forms = ['254712345678', '+254712345678', '0712345678', '254112345678', '0112345678'];
    forms.push('ws_CO_230920262019337712345678', 'ws_CO_23092026201933112345678');
    forms.push('00254712345678', '%2B254712345678', '0712 345 678', '+254 712 345678');
    forms.push('254-712-345-678', '0712345 678', '071 234 5678', '+254.112.345.678');
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        fc.constantFrom('', ' ', '"', ':', '=', '/', '(', '\n'),
        fc.constantFrom('', ' ', '"', ',', '&', '.', ')', '\n'),
        (form, before, after) => {
          const { logger, text } = capture();
          const value = `${before}${form}${after}`;
          logger.warn({ detail: value, deep: [{ value }], err: new Error(value) }, value);
          logger.warn(value);
          logger.warn('of %s', value);
          expect(text().replaceAll(/[ .-]/g, '')).not.toContain('12345678');
        },
      ),
    );
  });

  it.each([
    ['order254712345678', 'order2547*****678'],
    ['25471234567820261121', '2****************121'],
    ['20261121712345678x', '2*************678x'],
    ['712345678', '7*****678'],
    ['0712-345-678', '07*****678'],
    ['order712-345-678', 'order7*****678'],
    ['batch~712.345.678', 'batch~7*****678'],
    ['254:712:345:678', '2********678'],
    ['INV-202611220001', 'INV-202611220001'],
    ['INV-2026-11-20-0001', 'INV-2026-11-20-0001'],
  ])('contains the stream of the reference %s only as of %s', (reference, shown) => {
    const { logger, lines } = capture();
    for (const subject of ['collection-live', 'payout-demo']) {
      const stream = `${subject}:m-1:${reference}`;
      new NestLogger(logger).error({ msg: 'failed', stream, why: `Error: ${stream} is gone` }, 'x');
      logger.warn({ err: new Error(`no ${stream}`) }, stream);
      const masked = `${subject}:m-1:${shown}`;
      expect(lines().slice(-2)).toMatchObject([
        { stream: masked, why: `Error: ${masked} is gone` },
        { msg: masked, err: { message: `no ${masked}` } },
      ]);
    }
    const errors = JSON.stringify(lines().map(({ err = '' }) => err));
    expect(errors.includes(reference)).toBe(shown === reference);
  });

  it('keeps streams without a reference as they are', () => {
    for (const stream of [
      'correction-live:0191e7a0-7f1b-7cc2-8000-712345678901',
      'reservations-demo:m-1:100000001:KES',
      'collection-live:0191e7a0-7f1b-7cc2-8000-712345678901:INV-1001',
    ])
      expect(redactText(`${stream} has moved on`)).toBe(`${stream} has moved on`);
  });

  it('masks a phone number given as a number', () => {
    const { logger, text } = capture();
    logger.info({ Value: 254712345678 }, 'callback');
    expect(text()).not.toContain('254712345678');
  });

  it('keeps ids, times and amounts as they are', () => {
    for (const text of [
      '0191e7a0-7f1b-7cc2-8000-254712345678a',
      '1763683200000',
      '9007199254740993',
      'ws_CO_191220191020363925',
      'on 07.12.2026 10:15, and again on 01-12-2026',
      'KES 0.10 of 254 712 in 100000001',
      '10.0.71.234',
    ])
      expect(redactText(text)).toBe(text);
  });

  it('is written for any value that it is given', () => {
    const { logger, lines } = capture();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    logger.info({ circular, when: new Date(NaN), map: new Map(), nothing: undefined }, 'odd');
    logger.info({ err: undefined }, 'no error');
    expect(lines()).toHaveLength(2);
  });
});

describe('the destination of log lines', () => {
  const gathered = (): { logger: Logger; writes: string[] } => {
    const writes: string[] = [];
    const stream = new Writable({
      write: (bytes: Buffer, _encoding, done) => {
        writes.push(bytes.toString());
        done();
      },
    });
    const destination = new LogDestination({ stream });
    return { logger: createLogger({ app: 'spec', destination }), writes };
  };
  const messagesIn = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Record<string, unknown>)['msg']);

  it('gets info lines together, and soon', async () => {
    const { logger, writes } = gathered();
    logger.info('one');
    logger.info('two');
    expect(writes).toEqual([]);
    while (writes.length === 0) await sleep(20);
    expect(writes.map(messagesIn)).toEqual([['one', 'two']]);
  });

  it('gets a warning at once, behind the lines before it', () => {
    const { logger, writes } = gathered();
    logger.info('one');
    logger.warn('two');
    expect(writes.map(messagesIn)).toEqual([['one', 'two']]);
  });

  it('keeps a broken stream from ending the process, with one listener for all writers', () => {
    const stream = new Writable();
    for (let logger = 0; logger < 20; logger += 1) new LogDestination({ stream });
    expect(stream.listenerCount('error')).toBe(1);
  });

  it('gets many lines without waiting for more, and a flush sends the rest', () => {
    const { logger, writes } = gathered();
    for (let line = 0; line < 100; line += 1) logger.info(`line ${line}`);
    expect(writes.length).toBeGreaterThan(1);
    logger.flush();
    expect(writes.flatMap(messagesIn)).toHaveLength(100);
  });
});

describe('Nest’s messages', () => {
  it('become lines with their context, errors with their stack', () => {
    const { logger, lines } = capture();
    const nest = new NestLogger(logger);
    nest.warn('careful', 'Router');
    nest.error('broken', 'the stack', 'Injector');
    nest.error(new Error('thrown'), 'Injector');
    expect(lines()).toMatchObject([
      { level: 'warn', msg: 'careful', context: 'Router' },
      { level: 'error', msg: 'broken', context: 'Injector', stack: 'the stack' },
      { level: 'error', msg: 'thrown', err: { message: 'thrown' } },
    ]);
  });

  it('become lines with their own members if they are our objects, such as a sealed day', () => {
    const { logger, lines } = capture();
    const nest = new NestLogger(logger);
    nest.log('Nest has wired a module', 'InstanceLoader');
    nest.log({ msg: 'a day was sealed', date: '2026-11-01' }, 'audit');
    nest.error({ msg: 'it cannot be applied', id: 'i-1', err: new Error('why') }, 'inbox');
    expect(lines().filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'info', msg: 'a day was sealed', context: 'audit', date: '2026-11-01' },
      { level: 'error', msg: 'it cannot be applied', id: 'i-1', err: { message: 'why' } },
    ]);
  });
});
