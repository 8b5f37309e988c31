import { type JsonSchema } from '#shared/openapi';
import { html, type Html, inlineMarkdown } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';

/** One field of a request or an answer, as the page shows it. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly description: string;
}

/** Returns the fields of an object, each followed by those of the objects in it. */
export function fieldsOf(document: OpenApiDocument, schema: JsonSchema, prefix = ''): Field[] {
  const { properties, required = [] } = resolved(document, schema) as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  return Object.entries(properties ?? {}).flatMap(([name, field]) => [
    {
      name: `${prefix}${name}`,
      required: required.includes(name),
      schema: field,
      description: (field['description'] as string | undefined) ?? '',
    },
    ...innerFields(document, field, `${prefix}${name}`),
  ]);
}

function innerFields(document: OpenApiDocument, field: JsonSchema, name: string): Field[] {
  const { items, anyOf } = field;
  if (items !== undefined) return fieldsOf(document, items as JsonSchema, `${name}[].`);
  const [object] = Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : [field];
  return fieldsOf(document, object ?? {}, `${name}.`);
}

/** A list of fields, or undefined if there are none. Marks optional fields, because most are required. */
export function fieldList(fields: readonly Field[]): Html | undefined {
  if (fields.length === 0) return undefined;
  return html`<dl class="fields">
    ${fields.map(
      ({ name, required, schema, description }) =>
        html`<div>
          <dt>
            <code>${name}</code> <span>${kindOf(schema)}${required ? '' : ', optional'}</span>
          </dt>
          <dd>${inlineMarkdown([description, limitsOf(schema)].filter(Boolean).join(' '))}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Returns the type in a word or two. */
function kindOf(schema: JsonSchema): string {
  const { type, format, anyOf, $ref } = schema;
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).map(kindOf).join(' or ');
  if (Array.isArray(type)) return type.join(' or ');
  if (typeof type !== 'string') return typeof $ref === 'string' ? 'object' : 'text';
  return typeof format === 'string' ? `${type} (${format})` : type;
}

const anyInteger = Number.MAX_SAFE_INTEGER;

/** Returns the values that the schema allows, in Markdown. */
function limitsOf({ pattern, const: only, enum: values, minimum, maximum }: JsonSchema): string {
  if (only !== undefined) return `Always \`${JSON.stringify(only)}\`.`;
  if (Array.isArray(values))
    return `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.`;
  if (typeof pattern === 'string') return `Pattern: \`${pattern}\`.`;
  const least = typeof minimum === 'number' && minimum > -anyInteger ? [`from ${minimum}`] : [];
  const most = typeof maximum === 'number' && maximum < anyInteger ? [`to ${maximum}`] : [];
  const range = [...least, ...most].join(' ');
  return range === '' ? '' : `An integer ${range}.`;
}

export function resolved(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (document.components.schemas[lastOf($ref)] ?? {}) : schema;
}

export function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
