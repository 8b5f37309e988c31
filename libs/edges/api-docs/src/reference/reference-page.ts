import { errorTerms, type Refusal } from '#edges/api-v4';
import { html, type Html, inlineMarkdown, slug } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { groupAddress, groupOf, referenceGroups } from '../site/addresses.js';
import { type Part, type SitePage } from '../site/page.js';
import { methodMark, shortTitleOf, titleOf } from '../site/sidebar.js';
import { type Call, callsOf, codesOf, commonCodes, parametersOf } from './calls.js';
import { type Field, fieldList, fieldsOf } from './schema-fields.js';
import { samplesOf } from './samples.js';

/** An answer with more fields than this folds them. */
const shownFields = 8;

/** Returns the pages of the reference: one for each group of calls. */
export function referencePages(document: OpenApiDocument): readonly SitePage[] {
  const common = commonCodes(document);
  return referenceGroups.map(({ name, description }) => {
    const calls = callsOf(document).filter((call) => groupOf(call) === name);
    return {
      address: groupAddress(name),
      title: name,
      description: `${description} Every call with its fields, errors and samples in your language.`,
      lead: html`<p>${description}</p>`,
      parts: calls.map((call) => callPart(document, call, common)),
    };
  });
}

function callPart(document: OpenApiDocument, call: Call, common: ReadonlySet<string>): Part {
  const { method, path, operation } = call;
  return {
    id: slug(operation.operationId),
    title: titleOf(operation),
    shortTitle: shortTitleOf(operation),
    body: html`<p class="endpoint">${methodMark(method)} <code>${path}</code></p>
      <p>${inlineMarkdown(operation.description)}</p>
      ${requestFields(document, call)} ${answerOf(document, call)} ${errorsOf(call, common)}`,
    samples: samplesOf(document, call),
  };
}

function requestFields(document: OpenApiDocument, { operation }: Call): Html {
  const parameters = parametersOf(document, operation);
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const groups = [
    ['Path', parameters.filter((one) => one.in === 'path')],
    ['Query', parameters.filter((one) => one.in === 'query')],
    ['Body', body ? fieldsOf(document, body.schema) : []],
  ] as const;
  return html`${groups.map(([title, fields]) => section(title, fieldList(fields)))}
    <p class="soft">
      Headers:
      ${parameters
        .filter((one) => one.in === 'header')
        .map(
          ({ name }, index) =>
            html`${index === 0 ? '' : ', '}<a href="/docs/guides/requests#${slug(name)}"
                ><code>${name}</code></a
              >`,
        )}.
    </p>`;
}

function answerOf(document: OpenApiDocument, { operation }: Call): Html {
  const [answer] = Object.entries(operation.responses);
  if (!answer) return html``;
  const [status, response] = answer;
  const [media] = Object.values(response.content);
  const fields = fieldsOf(document, media?.schema ?? {});
  return section(
    `Response ${status}`,
    html`<p>${inlineMarkdown(response.description)}</p>
      ${folded(fields)}`,
  );
}

function folded(fields: readonly Field[]): Html | undefined {
  if (fields.length <= shownFields) return fieldList(fields);
  return html`<details>
    <summary>${fields.length} fields of the answer</summary>
    ${fieldList(fields)}
  </details>`;
}

/** The errors of this call alone. The ones of every signed call are on their own page. */
function errorsOf({ operation }: Call, common: ReadonlySet<string>): Html {
  const all = codesOf(operation);
  const isSigned = operation.security.some((one) => 'accessToken' in one);
  const own = isSigned ? all.filter(({ code }) => !common.has(code)) : all;
  const others = html`<a href="/docs/errors#every-signed-call"
    >${common.size} errors of every signed call</a
  >`;
  return section(
    'Errors',
    html`<dl class="errors">
        ${own.map(
          ({ status, code }) =>
            html`<div>
              <dt>
                <a href="/docs/errors#${code}"><code>${code}</code></a> <span>${status}</span>
              </dt>
              <dd>${inlineMarkdown(errorTerms[code as Refusal].meaning.en)}</dd>
            </div>`,
        )}
      </dl>
      ${isSigned ? html`<p>${own.length === 0 ? 'Only the' : 'Also the'} ${others}.</p>` : undefined}`,
  );
}

function section(title: string, body: Html | undefined): Html {
  if (!body) return html``;
  return html`<h3>${title}</h3>
    ${body}`;
}
