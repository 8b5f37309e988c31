import { describe, expect, it, jest } from '@jest/globals';
import { debug } from '@eventstore/db-client/dist/utils/debug.js';
import fc from 'fast-check';
import { format } from 'node:util';
import { loadSettings, SettingsError } from '#infra/runtime';
import { checkConnectionString, openClient } from './connection-string.js';

const secret = 'hunter2';

/** Everything that is printed while `work` runs, to any output. */
function printedBy(work: (warn: (message: string) => void) => void): string {
  const printed: string[] = [];
  const spies = (['warn', 'log', 'error'] as const).map((method) =>
    jest.spyOn(console, method).mockImplementation((...line: unknown[]) => {
      printed.push(format(...line));
    }),
  );
  const stderr = jest.spyOn(process.stderr, 'write').mockImplementation((line) => {
    printed.push(String(line));
    return true;
  });
  try {
    work((message) => printed.push(message));
  } finally {
    for (const spy of [...spies, stderr]) spy.mockRestore();
  }
  return printed.join('\n');
}

describe('a connection string', () => {
  it.each([
    'esdb://localhost:2113',
    'esdb://localhost:2113/',
    'esdb://admin:changeit@localhost:2113?tls=true&tlsCAFile=./ca.pem',
    'esdb://a:2113,b:2113,c:2113?nodePreference=leader&keepAliveInterval=10000',
    'esdb+discover://admin:p%40ss%3Aword@cluster.example:2113?tls=true',
    'esdb://a,b,c',
    'kurrentdb://a:2113,b:2113,c:2113?node_preference=read-only-replica',
    'kurrentdb+discover://cluster.example?tls=true',
  ])('is accepted without warnings if the client reads it as its author meant: %s', (text) => {
    expect(checkConnectionString(text).warnings).toEqual([]);
  });

  it.each([
    ['no scheme', 'localhost:2113', /must read esdb:/],
    ['another scheme', 'http://localhost:2113', /must read esdb:/],
    ['a raw @ in the password', `esdb://admin:${secret}@x@host`, /%40/],
    ['a raw @ in an option', `esdb://host?connectionName=a:${secret}@b`, /%40/],
    ['a raw : in the password, which the client cuts off', `esdb://admin:${secret}:x@host`, /%3A/],
    ['a user without password', 'esdb://admin@host', /user:password/],
    ['a port that is none', 'esdb://a:x', /port/],
    ['an IPv6 address, which the client does not read', 'esdb://[::1]:2113', /IPv4/],
    ['a third form of the scheme', 'kurrentdb+tcp://a', /must read/],
    ['an option without a value', 'esdb://a?tls', /name=value/],
    ['a flag that is neither', 'esdb://a?tls=yes', /true or false/],
    ['appends that do not throw', 'esdb://host?throw-on-append-failure=false', /lost races/],
  ])('is refused with %s, in words that do not repeat it', (_, text, message) => {
    expect(() => checkConnectionString(text)).toThrow(message);
    expect(() => checkConnectionString(text)).not.toThrow(secret);
  });

  it.each([
    ['esdb://a:2113?tls=false', false],
    ['esdb://a:2113,b:2113', true],
    ['esdb+discover://a:2113', true],
  ])('reports whether there may be another node: %s', (text, discovers) => {
    expect(checkConnectionString(text).discovers).toBe(discovers);
  });

  it.each([
    ['esdb://a:2113/?tls=false', 'esdb://a:2113?tls=false'],
    ['esdb://u:p%40@a,b', 'esdb://u:p%40@a,b?gossipTimeout=1&maxDiscoverAttempts=3'],
    [
      'kurrentdb+discover://a?gossip_timeout=3',
      'esdb+discover://a?gossip_timeout=3&maxDiscoverAttempts=3',
    ],
    [
      'esdb://a,b?tls=true&MaxDiscoverAttempts=9',
      'esdb://a,b?tls=true&MaxDiscoverAttempts=9&gossipTimeout=1',
    ],
  ])('bounds the search for another node if there may be one: %s', (text, given) => {
    expect(checkConnectionString(text).connectionString).toBe(given);
  });

  it('passes the settings exactly if it can be used', () => {
    const part = (...texts: string[]) => fc.constantFrom(...texts);
    const strings = fc
      .tuple(
        part('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover', 'http', 'esdb+x', ''),
        part('', '', `u:${secret}@`, 'u@', 'a:b:c@'),
        fc.array(part('a', 'a:2113', 'b.example:1', '10.0.0.1', 'a:x', 'a:', '[::1]', '', 'a b'), {
          minLength: 1,
          maxLength: 3,
        }),
        part('', '/', '//'),
        fc.array(
          part(
            ...[
              'tls=false',
              'tls=true',
              'tls=x',
              'Connection_Name=%zz',
              'connectionName=%41',
              'x=1',
            ],
            ...[
              'nodePreference=leader',
              'nodePreference=x',
              'keepAliveInterval=x',
              'tls',
              '=1',
              '',
            ],
          ),
          { maxLength: 3 },
        ),
      )
      .map(
        ([scheme, user, hosts, slash, options]) =>
          `${scheme}://${user}${hosts.join(',')}${slash}${options.length > 0 ? '?' : ''}${options.join('&')}`,
      );
    const passes = (text: string) => {
      try {
        return loadSettings({ EVENTSTORE_URL: text }).eventstoreUrl;
      } catch (error) {
        expect(error).toBeInstanceOf(SettingsError);
        return undefined;
      }
    };
    let taken = 0;
    fc.assert(
      fc.property(strings, (text) => {
        const passed = passes(text);
        if (passed === undefined) {
          expect(() => checkConnectionString(text)).toThrow();
        } else {
          taken += 1;
          openClient(checkConnectionString(passed).connectionString, () => undefined);
          expect(checkConnectionString(text).connectionString).toBe(passed);
        }
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  it('leads to a warning if its user would not be sent', () => {
    expect(
      checkConnectionString('esdb://admin:changeit@localhost:2113?TLS=false').warnings,
    ).toEqual([expect.stringContaining('does not send the user')]);
  });

  it('leads to a warning if its other hosts would not be asked', () => {
    expect(checkConnectionString('esdb+discover://a:2113,b:2113').warnings).toEqual([
      expect.stringContaining('first host'),
    ]);
  });

  it('is printed nowhere with its password: debug log, unknown option, parse error', () => {
    debug.connection.enabled = true;
    const printed = printedBy((warn) => {
      openClient(
        `esdb://admin:${secret}@localhost:2113?tls=true&wrong=1&tlsVerifyCert=false`,
        warn,
      );
      expect(() => openClient(`esdb://admin:${secret}@localhost:port`, warn)).toThrow(
        /cannot be used/,
      );
    });
    expect(printed).toContain('Unknown option key "wrong"');
    expect(printed).not.toContain(secret);
  });

  it('leaves no trace in the error if it cannot be parsed', () => {
    let error: unknown;
    try {
      openClient(`esdb://admin:${secret}@localhost:port`, () => undefined);
    } catch (caught) {
      error = caught;
    }
    expect(format('%o', error)).not.toContain(secret);
  });
});
