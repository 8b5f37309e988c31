import { describe, expect, it } from '@jest/globals';
import { splitRequest } from './raw-request.js';

const parts = {
  method: 'POST',
  path: '/api/v4/collections?a=1',
  headers: 'Host: pay.example\nX-PP-Nonce: n',
  body: '{"amount_minor":25000,\n\n"reference":"INV-1"}',
};
const raw = `${parts.method} ${parts.path} HTTP/1.1\n${parts.headers}\n\n${parts.body}`;

describe('a raw request', () => {
  it('is its request line, its headers and the body after the first empty line', () => {
    expect(splitRequest(raw)).toEqual({ ok: true, value: parts });
    expect(splitRequest(`\n${raw.replaceAll('\n', '\r\n')}`)).toEqual({ ok: true, value: parts });
  });

  it('may have no version, no headers and no body', () => {
    const value = {
      method: 'get',
      path: 'https://pay.example/api/v4/events',
      headers: '',
      body: '',
    };
    expect(splitRequest('get https://pay.example/api/v4/events')).toEqual({ ok: true, value });
  });

  it('keeps the line feed at the end of a body, unless its length says that there is none', () => {
    const of = (headers: string) => {
      const split = splitRequest(`POST /p\n${headers}\n\nbody\n`);
      return split.ok ? split.value.body : undefined;
    };
    expect(of('Content-Length: 5')).toBe('body\n');
    expect(of('content-length: 4')).toBe('body');
    expect(of('A: b')).toBe('body\n');
  });

  it.each(['', 'hello', '{"amount_minor":1}', 'POST'])('is not %j', (text) => {
    expect(splitRequest(text)).toEqual({ ok: false, refusal: 'request_line' });
  });
});

describe('a curl command', () => {
  const body = '{"amount_minor":25000,"note":"it\'s"}';
  const read = {
    method: 'POST',
    path: 'https://pay.example/api/v4/collections?a=1&b=2',
    headers: 'X-PP-Nonce: n\nX-PP-Timestamp: 1',
    body,
  };
  it.each([
    [
      'lines and single quotes',
      `curl -sS -X POST 'https://pay.example/api/v4/collections?a=1&b=2' \\\n  -H 'X-PP-Nonce: n' \\\n  -H 'X-PP-Timestamp: 1' \\\n  --data-raw '{"amount_minor":25000,"note":"it'\\''s"}'`,
    ],
    [
      'double quotes',
      `$ curl --url "https://pay.example/api/v4/collections?a=1&b=2" -H"X-PP-Nonce: n" --header="X-PP-Timestamp: 1" -d "{\\"amount_minor\\":25000,\\"note\\":\\"it's\\"}"`,
    ],
  ])('is read with %s', (_how, command) => {
    expect(splitRequest(command)).toEqual({ ok: true, value: read });
  });

  it('asks with GET if it has no body', () => {
    const value = { method: 'GET', path: 'https://pay.example/', headers: '', body: '' };
    expect(splitRequest('curl https://pay.example/')).toEqual({ ok: true, value });
  });

  it.each([
    ['curl_option', 'curl -F a=b https://pay.example/'],
    ['curl_option', 'curl https://pay.example/ -H'],
    ['curl_file', 'curl -d @body.json https://pay.example/'],
    ['curl_quote', `curl 'https://pay.example/`],
    ['curl_url', 'curl -X POST'],
  ])('is refused with %s', (refusal, command) => {
    expect(splitRequest(command)).toEqual({ ok: false, refusal });
  });
});
