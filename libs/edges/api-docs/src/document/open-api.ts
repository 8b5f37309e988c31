import { type JsonSchema } from '#shared/openapi';
import { type WebhookType } from '#views/webhook-outbox';

/** The parts of OpenAPI 3.1 that the document has. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Path → method → operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The calls that we make: type → the operation that we call. */
  readonly webhooks: Readonly<Record<WebhookType, { readonly post: Webhook }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
  /** The answers to a path or method that has no operation. OpenAPI has no place for them. */
  readonly 'x-unrouted-responses': Readonly<
    Record<'BadRequest' | 'NotFound' | 'MethodNotAllowed', Response>
  >;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: true;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

/** A call that we make. Only the status of the answer counts. */
export interface Webhook extends Omit<Operation, 'parameters' | 'responses'> {
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Pick<Response, 'description'>>>;
}

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: string;
}

export interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<
    Record<string, { readonly summary: string; readonly value: object }>
  >;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  readonly content: Readonly<Record<string, Media>>;
}
