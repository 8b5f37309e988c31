import { type ArgumentsHost, Logger } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { type FastifyReply } from 'fastify';
import { CheckoutFault } from './checkout-fault.js';
import { FaultPages } from './fault-pages.filter.js';

Logger.overrideLogger(false);

/** Returns the customer's answer if a request ends with this. */
function answerTo(thrown: unknown): {
  status: number;
  headers: Record<string, string>;
  text: string;
} {
  const answer = { status: 0, headers: {} as Record<string, string>, text: '' };
  const reply = {
    sent: false,
    code: (status: number) => ((answer.status = status), reply),
    header: (name: string, value: string) => ((answer.headers[name] = value), reply),
    headers: (all: Record<string, string>) => (Object.assign(answer.headers, all), reply),
    send: (body: Buffer) => ((answer.text = body.toString()), reply),
  } as unknown as FastifyReply;
  const request = {
    id: 'request-1',
    headers: {},
    raw: { url: '/checkout?tel=0712345678' },
    routeOptions: { url: '/checkout' },
  };
  const http = { getRequest: () => request, getResponse: () => reply };
  new FaultPages().catch(thrown, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return answer;
}

describe('a failed request of the checkout page', () => {
  it('returns a page that says a retry is safe, if a server is unavailable', () => {
    const { status, headers, text } = answerTo(new DependencyUnavailable('redis', 'no answer'));
    expect([status, headers['Retry-After']]).toEqual([503, '2']);
    expect(headers['Content-Type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('You will not pay twice');
    expect(text).toContain('request-1');
  });

  it('returns a page without a trace of the cause, if it is a defect', () => {
    const { status, text } = answerTo(new TypeError('secret: 42'));
    expect(status).toBe(500);
    expect(text).not.toContain('42');
  });

  it('returns the page of the fault with its status', () => {
    const { status, text } = answerTo(new CheckoutFault({ code: 'used_link' }));
    expect([status, text.includes('This payment link was already used')]).toEqual([409, true]);
  });
});
