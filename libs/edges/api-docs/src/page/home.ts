import { html } from '#shared/html';
import { pageFiles } from './page.js';

/** Returns the page at the address itself, which says what this service is and links to the rest. */
export function home(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>PesaPost</title>
        <link rel="stylesheet" href="${pageFiles.style}" />
      </head>
      <body>
        <main>
          <h1>PesaPost</h1>
          <p>
            PesaPost collects payments over M-Pesa for merchants: a signed request becomes a prompt
            on the customer’s phone, and the money is posted to the merchant’s wallet once M-Pesa
            confirms it.
          </p>
          <h2>Where to go</h2>
          <ul>
            <li>
              You develop for a merchant: <a href="/docs">the reference</a> has a quick start, every
              call and a signing walk-through; <a href="/openapi.json">openapi.json</a> is the same
              for programs.
            </li>
            <li>
              You want to pay: go back to the shop. It sends you to a payment page of your own order
              with a link that it signed; <a href="/checkout">what a payment page is</a>.
            </li>
            <li>
              You operate the service: its health and figures stand on another port, ADMIN_PORT, at
              <code>/health/ready</code> and <code>/metrics</code>; <code>npx pesapost --help</code>
              lists the commands.
            </li>
          </ul>
        </main>
      </body>
    </html> `.text;
}
