import { describe, expect, it } from '@jest/globals';
import { type RailLimits } from '#domain/rails';
import { Problem, RawBody } from '#shared/http';
import { account, anyAmount, LimitsOnly, OneAccount } from '../../test/ports.js';
import { type Caller, SignedBody } from '../authentication/caller.js';
import { type Dto, validatedAgainst } from '../validation/validated.js';
import { CollectionTermsSource, CreateCollectionDto } from './create-collection.dto.js';

const caller = { credential: { merchantId: 'm1', mode: 'demo' } } as Caller;
const daraja: RailLimits = { ...anyAmount, stepMinor: 100n };

const right = {
  account_no: '1000000001',
  phone: '254712345678',
  amount_minor: 25000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV-1',
};

/** Returns the DTO of the body, or the code and detail of its refusal. */
async function outcome(body: object | string, limits = anyAmount) {
  const Pipe = validatedAgainst(CreateCollectionDto, CollectionTermsSource);
  const source = new CollectionTermsSource(new OneAccount(), new LimitsOnly(limits));
  const pipe = new (
    Pipe as unknown as new (terms: CollectionTermsSource) => InstanceType<typeof Pipe>
  )(source);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const raw = new RawBody(Buffer.from(text), 'application/json');
  try {
    return await pipe.transform(new SignedBody(raw, caller), { type: 'body' });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { status: error.error.status, code: error.error.code, detail: error.detail };
  }
}

const without = (field: string) =>
  Object.fromEntries(Object.entries(right).filter(([name]) => name !== field));

describe('the body of a create call', () => {
  it('becomes the DTO with the account that it names, if it is valid', async () => {
    expect(await outcome(right)).toEqual({
      ...right,
      terms: { account, limits: anyAmount, channels: ['mpesa'] },
    });
  });

  it('is rejected with the name of an unknown or repeated member', async () => {
    expect(await outcome({ ...right, metadata: {} })).toEqual({
      status: 400,
      code: 'invalid_request',
      detail: '"metadata" is not a field of this call.',
    });
    expect(await outcome({ ...right, terms: {} })).toMatchObject({ code: 'invalid_request' });
    const twice = JSON.stringify(right).replace('{', '{"amount_minor":1,');
    expect(await outcome(twice)).toEqual({
      status: 400,
      code: 'invalid_request',
      detail: '"amount_minor" must be given once.',
    });
    const long = await outcome({ ...right, ['x'.repeat(1000)]: 1 });
    expect(long).toMatchObject({ detail: `"${'x'.repeat(64)}…" is not a field of this call.` });
  });

  const wrong: readonly (readonly [field: string, code: string, values: readonly unknown[]])[] = [
    [
      'account_no',
      'invalid_account',
      ['', '1000000002', 1000000001, null, {}, ['1000000001'], 'x'.repeat(100), '1\u0000'],
    ],
    [
      'phone',
      'invalid_phone',
      ['0712345678', '+254712345678', '254812345678', '25471234567', '2547123456789', 254712345678]
        .concat([' 254712345678'])
        .concat(['254712345678\n']),
    ],
    [
      'amount_minor',
      'invalid_amount',
      [0, -1, 0.5, 25_000_001, '25000', null, true, 1e300, [25000]],
    ],
    ['currency', 'invalid_currency', ['kes', 'USD', 'KESX', '', null, 404, ['KES']]],
    ['channel', 'invalid_channel', ['MPESA', 'airtel', '', null, 1]],
    [
      'reference',
      'invalid_reference',
      ['', '-a', '.a', 'a b', 'a~2', 'é', 'x'.repeat(65), 12, null, 'a\n', ['a']],
    ],
  ];
  const rows = wrong.flatMap(([field, code, values]) =>
    values.map((value) => [field, JSON.stringify(value), code, value] as const),
  );

  it.each(rows)('with %s %s is refused as %s', async (field, _text, code, value) => {
    expect(await outcome({ ...right, [field]: value })).toMatchObject({
      status: 400,
      code,
      detail: expect.stringMatching(new RegExp(`^${field} must .*\\S$`)) as unknown,
    });
  });

  it.each(wrong)('without %s is refused as %s', async (field, code) => {
    expect(await outcome(without(field))).toMatchObject({ status: 400, code });
  });

  it('is refused for the first bad field in the contract’s order', async () => {
    const codes = wrong.map(([, code]) => code);
    for (let from = 0; from < wrong.length; from += 1) {
      const bad = Object.fromEntries(wrong.slice(from).map(([field]) => [field, null]));
      expect(await outcome({ ...right, ...bad })).toMatchObject({ code: codes[from] });
    }
  });

  it.each(['INV-1', '0', 'a:b/c.d_e-f', 'x'.repeat(64)])(
    'may have the reference %s',
    async (reference) => {
      expect(await outcome({ ...right, reference })).toMatchObject({ reference });
    },
  );

  it.each(['254112345678', '254700000001'])('may have the phone %s', async (phone) => {
    expect(await outcome({ ...right, phone })).toMatchObject({ phone });
  });

  it('has an amount from 1 to the rail’s maximum, in the rail’s steps', async () => {
    const amount = async (amount_minor: number, limits: RailLimits) =>
      'code' in (await outcome({ ...right, amount_minor }, limits)) ? 'refused' : 'taken';
    expect(await amount(1, anyAmount)).toBe('taken');
    expect(await amount(25_000_000, anyAmount)).toBe('taken');
    expect(await amount(100, daraja)).toBe('taken');
    expect(await amount(150, daraja)).toBe('refused');
    expect(await amount(1, daraja)).toBe('refused');
  });

  it.each(['25000.0000000000001', '1e2', '100.0', '1E2', '2500.1e1', '0.1e3', '-0', '1e-400'])(
    'has an amount that is written as an integer, so not %s',
    async (amount) => {
      const text = JSON.stringify({ ...right, amount_minor: '?' }).replace('"?"', amount);
      expect(await outcome(text)).toMatchObject({ status: 400, code: 'invalid_amount' });
    },
  );

  it('names the field and the rule in a sentence', async () => {
    expect(await outcome({ ...right, amount_minor: 150 }, daraja)).toMatchObject({
      detail: 'amount_minor must be an integer from 100 to 25000000, a multiple of 100.',
    });
  });

  it('has an error for each field, and a rule for each error', async () => {
    const { errors }: Dto<CreateCollectionDto> = CreateCollectionDto;
    expect(Object.keys(errors)).toEqual(Object.keys(right));
    expect(await outcome({})).toMatchObject({ code: 'invalid_account' });
  });
});
