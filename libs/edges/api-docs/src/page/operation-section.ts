import { type JsonSchema } from '#shared/openapi';
import {
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
} from '../document/open-api.js';
import { markdown, Html, html, inlineMarkdown, slug } from '#shared/html';

interface Row {
  readonly name: string;
  readonly where: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly description: string;
}

/** Returns the section of one route: its parameters, its answers and every error. */
export function operationSection(
  document: OpenApiDocument,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): Html {
  const parameters = operation.parameters.map((parameter) => rowOf(document, parameter));
  const [body] = Object.entries(operation.requestBody?.content ?? {});
  return html`<section id="${slug(operation.operationId)}">
    <h3><code>${method.toUpperCase()} ${path}</code></h3>
    <p><strong>${operation.summary}.</strong> ${inlineMarkdown(operation.description)}</p>
    <h4>Takes</h4>
    ${table([...parameters, ...bodyRows(document, body)])}
    ${body?.[1].example === undefined ? html`` : example(body[1].example)}
    <h4>Answers</h4>
    ${Object.entries(operation.responses).map(([status, response]) => answer(document, status, response))}
  </section>`;
}

function rowOf(document: OpenApiDocument, parameter: Operation['parameters'][number]): Row {
  const found =
    '$ref' in parameter
      ? document.components.parameters[lastOf(parameter.$ref)]
      : (parameter satisfies Parameter);
  if (!found) throw new TypeError('a parameter that the document does not have');
  return { ...found, where: found.in };
}

function bodyRows(
  document: OpenApiDocument,
  body: [string, { readonly schema: JsonSchema }] | undefined,
): Row[] {
  return body ? fieldRows(document, body[1].schema, 'body') : [];
}

/** Returns rows for the fields of an object, and for those of a list's items after it. */
function fieldRows(document: OpenApiDocument, schema: JsonSchema, where: string): Row[] {
  const { properties, required } = resolve(document, schema) as {
    properties: Readonly<Record<string, JsonSchema>>;
    required: readonly string[];
  };
  return Object.entries(properties).flatMap(([name, field]) => [
    {
      name,
      where,
      required: required.includes(name),
      schema: field,
      description: (field['description'] as string | undefined) ?? '',
    },
    ...('items' in field ? fieldRows(document, field['items'] as JsonSchema, `${name}[]`) : []),
  ]);
}

function answer(document: OpenApiDocument, status: string, response: Response): Html {
  const [media] = Object.values(response.content);
  const isError = Number(status) >= 400;
  const headers = Object.keys(response.headers);
  return html`<details${new Html(isError ? '' : ' open')}>
<summary><strong>${status}</strong> ${
    isError
      ? inlineMarkdown(
          codesOf(media?.schema)
            .map((code) => `\`${code}\``)
            .join(', '),
        )
      : response.description
  }</summary>
${isError ? markdown(response.description) : table(fieldRows(document, media?.schema ?? {}, 'answer'))}
<p>Headers: ${inlineMarkdown(headers.map((name) => `\`${name}\``).join(', '))}</p>
${media?.example === undefined ? html`` : example(media.example)}
</details>`;
}

function codesOf(schema: JsonSchema | undefined): readonly string[] {
  const properties = schema?.['properties'] as { readonly error: { readonly enum: string[] } };
  return properties.error.enum;
}

function table(rows: readonly Row[]): Html {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>In</th>
          <th>Form</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, where, required, schema, description }) =>
            html`<tr>
              <td><code>${name}</code>${required ? html`` : html` <small>optional</small>`}</td>
              <td>${where}</td>
              <td>${inlineMarkdown(formOf(schema))}</td>
              <td>${inlineMarkdown(description)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Returns one section for all types of webhooks. They differ only by the outcome that they report. */
export function webhooksSection(document: OpenApiDocument): Html {
  const all = Object.entries(document.webhooks);
  const { description, parameters, requestBody, responses } =
    document.webhooks['collection.completed'].post;
  const media = requestBody?.content['application/json'];
  return html`<section id="webhooks">
    <h2>Webhooks</h2>
    <p>${inlineMarkdown(description)}</p>
    <ul>
      ${all.map(([type, { post }]) => html`<li><code>${type}</code>: ${post.summary}</li>`)}
    </ul>
    <h3>What comes</h3>
    ${table([
      ...parameters.map((parameter) => ({ ...parameter, where: parameter.in })),
      ...(media ? fieldRows(document, media.schema, 'body') : []),
    ])}
    ${media?.example === undefined ? undefined : example(media.example)}
    <h3>What you answer</h3>
    <ul>
      ${Object.entries(responses).map(
        ([status, { description: meaning }]) =>
          html`<li><strong>${status}</strong>: ${meaning}</li>`,
      )}
    </ul>
  </section>`;
}

/** Describes a schema in a few words. */
function formOf(schema: JsonSchema): string {
  const { type, pattern, const: only, format, minimum, maximum, anyOf } = schema;
  const alternatives = schema['enum'] as readonly unknown[] | undefined;
  if (anyOf !== undefined) return (anyOf as JsonSchema[]).map(formOf).join(' or ');
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (alternatives) return alternatives.map((value) => `\`${String(value)}\``).join(', ');
  const kind = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'object';
  const range = minimum === undefined ? '' : `, from ${JSON.stringify(minimum)}`;
  const upTo = maximum === undefined ? '' : ` to ${JSON.stringify(maximum)}`;
  if (typeof pattern === 'string') return `${kind}, \`${pattern}\``;
  return format === undefined ? `${kind}${range}${upTo}` : `${kind}, ${JSON.stringify(format)}`;
}

function example(value: unknown): Html {
  return html`<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`;
}

function resolve(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (document.components.schemas[lastOf($ref)] ?? {}) : schema;
}

function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
