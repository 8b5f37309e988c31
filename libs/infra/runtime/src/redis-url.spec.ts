import { describe, expect, it } from '@jest/globals';
import { readRedisUrl } from './redis-url.js';

describe('REDIS_URL', () => {
  it('names one server', () => {
    const url = 'rediss://:secret@redis.example:6380/2';
    expect(readRedisUrl(url)).toEqual({
      kind: 'server',
      url,
      hosts: ['redis.example'],
      usesTls: true,
    });
  });

  it('names Sentinels and the primary, with the passwords of each', () => {
    const url =
      'redis+sentinel://app:p%40ss@s1.example,10.0.0.2:26380,[::1]:26381/pesapost/3?sentinelPassword=q%26';
    expect(readRedisUrl(url)).toEqual({
      kind: 'sentinel',
      hosts: ['s1.example', '10.0.0.2', '::1'],
      usesTls: false,
      sentinels: [
        { host: 's1.example', port: 26_379 },
        { host: '10.0.0.2', port: 26_380 },
        { host: '::1', port: 26_381 },
      ],
      name: 'pesapost',
      db: 3,
      username: 'app',
      password: 'p@ss',
      sentinelPassword: 'q&',
    });
    expect(readRedisUrl('rediss+sentinel://s1/main')).toMatchObject({ usesTls: true, db: 0 });
  });

  it.each([
    'http://redis.example',
    'redis+sentinel://:secret@s1.example',
    'redis+sentinel://s1.example:99999/main',
    'redis+sentinel://s1.example,/main',
    'redis+sentinel://s1.example/main?password=secret',
    'redis+sentinel://s1.example/main/zero',
  ])('is refused as %s, without repeating it', (url) => {
    const found = readRedisUrl(url);
    const problem = 'problem' in found ? found.problem : '';
    expect(problem).toContain('redis+sentinel://[user:password@]sentinel');
    expect(problem).not.toContain('secret');
  });
});
