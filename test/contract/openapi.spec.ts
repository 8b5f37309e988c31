import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument, clientsDocument, goldenDocument } from '#edges/api-docs';
import { errors } from '#edges/api-v4';
import { Described, fieldsOf, routesOf } from '#shared/openapi';
import { packageDirectory } from '#infra/runtime';
import { describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { IsMilitaryTime } from 'class-validator';
import { Validator } from '@seriousme/openapi-schema-validator';

const document = apiDocument();
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** The codes that an operation's answer with this status can have. */
function codesOf(operationId: string, status: number): unknown {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  const schema = operation?.responses[String(status)]?.content['application/json']?.schema;
  const properties = schema?.['properties'] as { error: { enum: string[] } } | undefined;
  return properties?.error.enum;
}

describe('openapi.clients.json', () => {
  const clients = clientsDocument();

  it('is valid OpenAPI 3.1', async () => {
    const { errors: problems } = await new Validator().validate({ ...structuredClone(clients) });
    expect(problems).toBeUndefined();
  });

  it('has every call under its tag, and no webhook (SDK-19)', () => {
    const calls = (paths: (typeof clients)['paths']) =>
      Object.values(paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId, tags }) => `${operationId} ${tags.join()}`),
      );
    expect(calls(clients.paths)).toEqual(calls(document.paths));
    expect(calls(clients.paths)).toContain('listEvents Events');
    expect(Object.keys(clients)).not.toContain('webhooks');
    expect(clients.tags.map(({ name }) => name)).not.toContain('Webhooks');
  });

  it('has the parameters of each call, except the signature’s three headers (SDK-19)', () => {
    const isSignature = (parameter: object) =>
      '$ref' in parameter && /\/(Signature|Nonce|Timestamp)$/.test(String(parameter.$ref));
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const { parameters, ...rest } = operation;
        const kept = parameters.filter((one) => !isSignature(one));
        expect(clients.paths[path]?.[method]).toEqual({ ...rest, parameters: kept });
      }
    expect(Object.keys(clients.components.parameters)).toEqual([
      ...['IdempotencyKey', 'MinPosition', 'AtPosition', 'RequestId'],
    ]);
  });
});

describe('openapi.json', () => {
  it('gives webhooks a tag that no call has', () => {
    const tagsOf = (groups: readonly object[]) =>
      groups.flatMap((methods) =>
        Object.values(methods as Record<string, { tags: string[] }>).flatMap(({ tags }) => tags),
      );
    expect(new Set(tagsOf(Object.values(document.webhooks)))).toEqual(new Set(['Webhooks']));
    expect(tagsOf(Object.values(document.paths))).not.toContain('Webhooks');
  });

  it('matches the code: if this fails, read the difference that npm run golden makes', () => {
    const golden = readFileSync(join(packageDirectory(), 'openapi.json'), 'utf8');
    expect(JSON.parse(golden)).toEqual(JSON.parse(goldenDocument()));
    expect(golden).toBe(goldenDocument());
  });

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors: problems } = await new Validator().validate({
      ...structuredClone(document),
    });
    expect(problems).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('names exactly the codes of the error table', () => {
    const named = [
      ...operations.flatMap(({ responses }) => Object.values(responses)),
      ...Object.values(document['x-unrouted-responses']),
    ].flatMap(({ content }) => Object.keys(content['application/json']?.examples ?? {}));
    expect([...new Set(named)].sort()).toEqual(Object.keys(errors).sort());
  });

  it('derives the codes of a create call from its checks, its fields and its descriptions', () => {
    expect(codesOf('createCollection', 401)).toEqual([
      'invalid_token',
      'missing_signature',
      'timestamp_expired',
      'invalid_signature',
      'invalid_nonce',
      'nonce_reused',
    ]);
    expect(codesOf('createCollection', 400)).toEqual([
      'invalid_request',
      'missing_idempotency_key',
      'invalid_idempotency_key',
      'invalid_account',
      'invalid_phone',
      'invalid_amount',
      'invalid_currency',
      'invalid_channel',
      'invalid_reference',
      'invalid_position',
    ]);
    expect(codesOf('listTransactions', 400)).not.toContain('missing_idempotency_key');
    expect(codesOf('listTransactions', 415)).toBeUndefined();
    expect(codesOf('issueToken', 401)).toEqual(['invalid_client']);
  });

  it('derives patterns, limits and enumerations from the validators', () => {
    const list = document.paths['/api/v4/transactions']?.['get'];
    const schemas = Object.fromEntries(
      (list?.parameters ?? []).flatMap((parameter) =>
        'schema' in parameter ? [[parameter.name, parameter.schema]] : [],
      ),
    );
    expect(schemas).toMatchObject({
      type: { enum: ['collection', 'payout'] },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      from: { type: 'string', format: 'date' },
    });
    expect(document.components.schemas['CreateCollection']).toMatchObject({
      required: ['account_no', 'phone', 'amount_minor', 'currency', 'channel', 'reference'],
      properties: {
        phone: { pattern: '^254[17][0-9]{8}$' },
        channel: { enum: ['mpesa', 'airtel'] },
      },
    });
  });

  it('rejects a route without a description, and a rule that it does not know', () => {
    @Controller('mute')
    class MuteController {
      @Get()
      get() {
        return {};
      }
    }
    expect(() => routesOf([MuteController])).toThrow('MuteController.get is not documented');
    class OddDto {
      static readonly errors = { field: errors.invalid_request };
      @Described('A field.', 1)
      @IsMilitaryTime()
      field!: string;
    }
    expect(() => fieldsOf(OddDto)).toThrow('field has a rule that the document cannot tell');
  });
});
