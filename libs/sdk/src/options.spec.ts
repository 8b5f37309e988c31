import { describe, expect, it } from '@jest/globals';
import { keys } from '../test/scripted-service.js';
import { readOptions } from './options.js';

describe('options that the caller left out', () => {
  it('give each try 20 s, by the machine’s clock (SDK-3, SDK-7)', () => {
    const credential = { clientId: 'client-1', clientSecret: 'secret-1' };
    const baseUrl = 'https://api.example.com';
    const settings = readOptions({ baseUrl, ...credential, privateKey: keys.private_key_pem });
    expect(settings.timeoutMs).toBe(20_000);
    expect(Math.abs(settings.now() - Date.now())).toBeLessThan(60_000);
  });
});
