import { errors, v4Controllers } from '#edges/api-v4';
import { type JsonSchema, namedSchemas, routesOf, schemaOfDto } from '#shared/openapi';
import { errorResponse } from './error-responses.js';
import { headerComponents } from './headers.js';
import { type OpenApiDocument, type Operation } from './open-api.js';
import { bodyName, operationOf } from './operation.js';
import { parameterComponents } from './parameters.js';
import { introduction } from './prose.js';
import { tags, webhooksTag } from './tags.js';
import { webhooksOfDocument } from './webhooks.js';

/** Returns the V4 API in OpenAPI 3.1, read from the code that serves it. */
export function apiDocument(): OpenApiDocument {
  const routes = routesOf(v4Controllers);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route);
  const bodies: Record<string, JsonSchema> = {};
  for (const { body } of routes) if (body) bodies[bodyName(body)] = schemaOfDto(body);
  return {
    openapi: '3.1.1',
    info: {
      title: 'PesaPost API',
      version: '4.0.0',
      description: introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that sent this document.' }],
    tags: [...tags, webhooksTag],
    paths,
    webhooks: webhooksOfDocument(),
    components: {
      schemas: { ...bodies, ...namedSchemas() },
      parameters: parameterComponents,
      headers: headerComponents,
      securitySchemes,
    },
    'x-unrouted-responses': {
      // A request that a proxy may read differently (AUTH-33).
      BadRequest: errorResponse(errors.invalid_request.status, ['invalid_request'], false),
      NotFound: errorResponse(errors.not_found.status, ['not_found'], false),
      MethodNotAllowed: errorResponse(
        errors.method_not_allowed.status,
        ['method_not_allowed'],
        false,
      ),
    },
  };
}

const securitySchemes = {
  accessToken: {
    type: 'oauth2',
    description:
      'The first of three factors. The others are a source address on the credential’s list, and the signature in X-PP-Signature, X-PP-Nonce and X-PP-Timestamp.',
    flows: { clientCredentials: { tokenUrl: '/api/v4/oauth/token', scopes: {} } },
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description: 'client_id and client_secret, as the operator issued them.',
  },
};

/** Returns the text of openapi.json at the root of the repository. */
export function goldenDocument(): string {
  return `${JSON.stringify(apiDocument(), null, 2)}\n`;
}
