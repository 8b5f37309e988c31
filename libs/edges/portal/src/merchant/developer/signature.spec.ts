import { describe, expect, it } from '@jest/globals';
import { sha256Hex } from '#shared/signing';
import { debugSignature, type Pasted } from './signature.js';

const pasted: Pasted = {
  raw: '',
  method: 'post',
  path: '/api/v4/collections',
  query: 'b=2&a=1',
  body: '{"amount_minor":25000}',
  headers: 'X-PP-Nonce: 0123456789abcdef\r\nX-PP-Timestamp: 1764000000\r\nx-pp-signature: c2ln\r\n',
  theirs: '',
};
const lines = [
  ...['POST', '/api/v4/collections', 'a=1&b=2', sha256Hex(pasted.body)],
  ...['0123456789abcdef', '1764000000'],
];

describe('the signature debugger', () => {
  it('shows the six lines that the service verifies, and their digest', () => {
    expect(debugSignature(pasted)).toEqual({
      lines,
      text: lines.join('\n'),
      sha256: sha256Hex(lines.join('\n')),
      signature: 'c2ln',
      difference: undefined,
      compared: 'not_given',
    });
  });

  it('takes a whole URL as people copy it', () => {
    const path = 'https://pay.example/api/v4/collections?b=2&a=1';
    expect(debugSignature({ ...pasted, path, query: '' })).toMatchObject({ lines });
  });

  it('reads the line ends of a body as they were pasted, not as a browser sends them', () => {
    const body = '{\n  "a": 1\n}';
    const sent = debugSignature({ ...pasted, body: body.replaceAll('\n', '\r\n') });
    expect(sent).toMatchObject({ lines: expect.arrayContaining([sha256Hex(body)]) as unknown });
  });

  it.each([
    [1, 'post', 'GET'],
    [3, 'an unsorted query', 'b=2&a=1'],
    [4, 'a digest in capitals', sha256Hex(pasted.body).toUpperCase()],
    [6, 'milliseconds', '1764000000000'],
  ])('names line %i first for %s', (line, _why, theirs) => {
    const changed = lines.with(line - 1, theirs).join('\r\n');
    expect(debugSignature({ ...pasted, theirs: changed })).toMatchObject({
      compared: 'differs',
      difference: { line, ours: lines[line - 1], theirs },
    });
  });

  it('recognizes the same text, and text that continues after the sixth line', () => {
    expect(debugSignature({ ...pasted, theirs: lines.join('\n') })).toMatchObject({
      compared: 'same',
    });
    expect(debugSignature({ ...pasted, theirs: `${lines.join('\n')}\n` })).toMatchObject({
      difference: { line: 7, ours: '', theirs: '' },
    });
  });

  it('reads a whole request, whose parts then do not count', () => {
    const raw = [
      'POST /api/v4/collections?b=2&a=1 HTTP/1.1',
      ...pasted.headers.trim().split('\r\n'),
      ...['', pasted.body],
    ];
    for (const end of ['\n', '\r\n'])
      expect(
        debugSignature({ ...pasted, method: 'GET', body: 'other', raw: raw.join(end) }),
      ).toMatchObject({ lines, signature: 'c2ln' });
  });

  it('reports that a text is not a request, and asks for one if nothing is given', () => {
    expect(debugSignature({ ...pasted, raw: 'hello' })).toEqual({
      kind: 'not_read',
      why: 'request_line',
    });
    expect(debugSignature({ ...pasted, headers: ' ', body: '' })).toEqual({ kind: 'nothing' });
  });

  it('names all missing headers at once, and says that a query cannot be read', () => {
    expect(debugSignature({ ...pasted, headers: 'X-PP-Nonce: n' })).toEqual({
      kind: 'missing_headers',
      headers: ['X-PP-Timestamp'],
    });
    expect(debugSignature({ ...pasted, raw: 'GET /api/v4/events' })).toEqual({
      kind: 'missing_headers',
      headers: ['X-PP-Nonce', 'X-PP-Timestamp'],
    });
    expect(debugSignature({ ...pasted, query: 'a=%ZZ' })).toEqual({ kind: 'malformed_query' });
  });
});
