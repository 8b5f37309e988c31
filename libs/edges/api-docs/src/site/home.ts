import { html } from '#shared/html';
import { type FileAddresses } from './files.js';
import { brand, shell } from './frame.js';

/** Returns the page at the address itself, which says what this service is and links to the rest. */
export function home(files: FileAddresses): string {
  return shell({
    title: 'PesaPost',
    description:
      'PesaPost collects payments over M-Pesa for merchants. This server answers their calls and their customers.',
    files,
    scripts: [],
    body: html`<header class="top">${brand}</header>
      <main id="content" tabindex="-1" class="home">
        <h1>PesaPost</h1>
        <p>
          PesaPost collects payments over M-Pesa for merchants. A signed request becomes a prompt on
          the customer’s phone. When M-Pesa confirms the payment, the money is posted to the
          merchant’s wallet.
        </p>
        <h2>Find your way</h2>
        <ul>
          <li>
            Developers: <a href="/docs">the documentation</a> has a quick start, every call and a
            signing walk-through. <a href="/openapi.json">openapi.json</a> is the same for programs.
          </li>
          <li>
            Customers: go back to the shop. It sends you to the payment page of your order with a
            link that it signed (<a href="/checkout">about payment pages</a>).
          </li>
          <li>
            Operators: health and metrics are on another port, ADMIN_PORT, at
            <code>/health/ready</code> and <code>/metrics</code>.
            <code>npx pesapost --help</code> lists the commands.
          </li>
        </ul>
      </main>`,
  }).text;
}
