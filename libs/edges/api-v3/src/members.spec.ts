import { Problem, RawBody } from '#shared/http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { signedTextOf } from './collect/collect-request.js';
import { readMembers } from './members.js';

const read = (text: string, mediaType: string | undefined = 'application/json') =>
  readMembers(new RawBody(Buffer.from(text), mediaType));

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown.error.code;
    throw thrown;
  }
  return 'none';
};

describe('the members of a body', () => {
  it('are texts as they say it, numbers as they are written, and others', () => {
    const members = read(
      '{"a":"x\\u0079\\/z", "b" : 250.00, "c":-1e3, "d":null, "e":true, "f":[1,{"a":2}], "g":{"a":"in"}}',
    );
    expect(Object.fromEntries(members)).toEqual({
      a: { kind: 'text', text: 'xy/z' },
      b: { kind: 'number', text: '250.00' },
      c: { kind: 'number', text: '-1e3' },
      d: { kind: 'null' },
      e: { kind: 'other' },
      f: { kind: 'other' },
      g: { kind: 'other' },
    });
  });

  it('are those that JSON.parse finds, regardless of their text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (values) => {
        const text = JSON.stringify(values);
        const object = JSON.parse(text) as Record<string, unknown>;
        const members = read(text);
        expect([...members.keys()]).toEqual(Object.keys(object));
        for (const [name, member] of members)
          if (member.kind === 'text') expect(member.text).toBe(object[name]);
          else if (member.kind === 'number') expect(JSON.parse(member.text)).toBe(object[name]);
          else expect(typeof object[name]).not.toMatch(/^(string|number)$/);
      }),
    );
  });

  it('may not occur twice, even if the name is spelled differently', () => {
    expect(codeOf(() => read('{"amount":"1.00","amount":"2.00"}'))).toBe('invalid_request');
    expect(codeOf(() => read('{"amount":"1.00","am\\u006funt":"1.00"}'))).toBe('invalid_request');
  });

  it.each(['', '[]', '"text"', '1', 'null', '{"a":1', '{"a":1}x', "{'a':1}", '\ufeff{}'])(
    'are rejected in %j',
    (text) => {
      expect(codeOf(() => read(text))).toBe('invalid_request');
    },
  );

  it('are rejected in a body that is absent or not UTF-8', () => {
    const bytes = Buffer.from('{"a":"\xff"}', 'latin1');
    expect(codeOf(() => readMembers(new RawBody(bytes, 'application/json')))).toBe(
      'invalid_request',
    );
    expect(codeOf(() => readMembers(undefined))).toBe('invalid_request');
  });

  it('are read from JSON under any media type; other content is rejected with 415', () => {
    expect(read('{"a":"1"}', 'application/x-www-form-urlencoded').size).toBe(1);
    expect(codeOf(() => read('a=1', 'application/x-www-form-urlencoded'))).toBe(
      'unsupported_media_type',
    );
  });

  it('are read within two seconds of CPU time from the largest body that is accepted', () => {
    const begun = process.cpuUsage();
    expect(read(`{"ref":"${'\\\\'.repeat(30_000)}"}`).get('ref')).toMatchObject({ kind: 'text' });
    expect(read(`{${Array.from({ length: 6000 }, (_, n) => `"${n}":${n}`).join()}}`).size).toBe(
      6000,
    );
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

describe('the signed text', () => {
  it('joins the five values as received, regardless of their order in the body', () => {
    const text =
      '{"live":0,"currency":"KES","amount":250.00,"mobileNumber":"07é","ref":"R☃","accountNumber":"1"}';
    expect(signedTextOf(read(text))).toBe('1R☃07é250.00KES');
  });

  it('has nothing for what is missing, null or no value', () => {
    expect(signedTextOf(read('{"ref":"R","amount":null,"currency":["KES"]}'))).toBe('R');
  });
});
