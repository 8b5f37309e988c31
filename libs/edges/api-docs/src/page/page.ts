import { type OpenApiDocument } from '../document/open-api.js';
import { markdown, type Html, html, inlineMarkdown, slug } from '#shared/html';
import { operationSection, webhooksSection } from './operation-section.js';
import { quickStart } from './quick-start.js';
import { walkThrough } from './walk-through.js';

/** The addresses of the page's own files. The page loads nothing else. */
export const pageFiles = {
  style: '/docs/style.css',
  script: '/docs/walk-through.js',
  steps: '/docs/signing-steps.js',
} as const;

/** Returns the reference as one page. @param baseUrl the address that the quick start calls */
export function page(document: OpenApiDocument, baseUrl: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const contents = html`<nav aria-label="Contents">
    <ul>
      <li><a href="#quick-start">Quick start</a></li>
      <li><a href="#signing-walk-through">Signing walk-through</a></li>
      ${[...document.info.description.matchAll(/^## (.+)$/gm)].map(([, title = '']) => html`<li><a href="#${slug(title)}">${title}</a></li>`)}
      ${operations.map(
        ({ method, path, operation }) =>
          html`<li>
            <a href="#${slug(operation.operationId)}"
              ><code>${method.toUpperCase()} ${path}</code></a
            >
          </li>`,
      )}
      <li><a href="#webhooks">Webhooks</a></li>
    </ul>
  </nav>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title}</title>
        <link rel="stylesheet" href="${pageFiles.style}" />
        <script type="module" src="${pageFiles.script}"></script>
      </head>
      <body>
        <header>
          <h1>${document.info.title}</h1>
          <p>For machines: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        </header>
        ${contents}
        <main>
          ${quickStartSection(baseUrl)} ${walkThrough()}
          <section>${markdown(document.info.description)}</section>
          <section>
            <h2>Calls</h2>
            ${operations.map((operation) => operationSection(document, operation))}
          </section>
          ${webhooksSection(document)}
        </main>
      </body>
    </html> `.text;
}

function quickStartSection(baseUrl: string): Html {
  return html`<section id="quick-start">
    <h2>Quick start</h2>
    <p>From an empty folder to a completed collection, with a shell, curl and openssl.</p>
    <ol>
      ${quickStart(baseUrl).map(
        ({ title, why, shell, then }) =>
          html`<li>
            <strong>${title}.</strong> ${inlineMarkdown(why)}
            <pre class="follow"><code>${shell}</code></pre>
            ${inlineMarkdown(then)}
          </li>`,
      )}
    </ol>
  </section>`;
}
