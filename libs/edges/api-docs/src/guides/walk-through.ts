import { canonicalQuery, sha256Hex, stringToSign } from '#shared/signing';
import { html } from '#shared/html';
import { type Part } from '../site/page.js';
import { part } from '../site/parts.js';

/** The content before the reader types, and for readers without JavaScript. */
const example = {
  method: 'GET',
  rawPath: '/api/v4/transactions',
  rawQuery: 'status=completed&limit=25',
  bodyBytes: Buffer.alloc(0),
  nonce: 'b1946ac92492d2347c6235b4d2611184',
  timestamp: '1767225600',
};

/** Returns the form and its results. The script fills in the results again for each letter that is typed. */
export function walkThrough(): Part {
  const text = stringToSign(example);
  const query = canonicalQuery(example.rawQuery);
  if (!text.ok || !query.ok) throw new TypeError('the example cannot be signed');
  const { method, rawPath, rawQuery, bodyBytes, nonce, timestamp } = example;
  const bytes = Buffer.from(text.value);
  const commands = `digest=$(printf %s '' | openssl dgst -sha256 -r)
printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s' ${method} ${rawPath} '${query.value}' "\${digest%% *}" ${nonce} ${timestamp} > string-to-sign
openssl dgst -sha256 -sign merchant.key string-to-sign | openssl base64 -A`;
  const body = html`<p>
      Type your own request: the string to sign is shown byte for byte. It is worked out in your
      browser; nothing is sent. Never paste a private key anywhere: none is asked for.
      <noscript>Without JavaScript you see a fixed example.</noscript>
    </p>
    <div class="walk">
      <label
        >Method
        <select id="sign-method">
          ${['GET', 'POST'].map((name) => html`<option>${name}</option>`)}
        </select></label
      >
      <label>Path <input id="sign-path" value="${rawPath}" spellcheck="false" /></label>
      <label
        >Query, without the question mark
        <input id="sign-query" value="${rawQuery}" spellcheck="false"
      /></label>
      <label>Body <textarea id="sign-body" rows="3" spellcheck="false"></textarea></label>
      <label>Nonce <input id="sign-nonce" value="${nonce}" spellcheck="false" /></label>
      <label
        >Timestamp <input id="sign-timestamp" value="${timestamp}" inputmode="numeric"
      /></label>
      <button type="button" id="sign-renew">New nonce, time of now</button>
    </div>
    <p id="sign-problem" role="alert"></p>
    <dl aria-live="polite">
      <dt>Canonical query</dt>
      <dd>
        <pre class="code" tabindex="0"><code id="shown-query">${query.value}</code></pre>
      </dd>
      <dt>SHA-256 of the body</dt>
      <dd>
        <pre class="code" tabindex="0"><code id="shown-digest">${sha256Hex(bodyBytes)}</code></pre>
      </dd>
      <dt>
        String to sign: six lines, <span id="shown-bytes">${bytes.length}</span> bytes, no line feed
        at the end
      </dt>
      <dd>
        <pre class="code" tabindex="0"><code id="shown-string">${text.value}</code></pre>
      </dd>
      <dt>Its SHA-256, to compare with <code>openssl dgst -sha256 string-to-sign</code></dt>
      <dd>
        <pre
          class="code"
          tabindex="0"
        ><code id="shown-string-digest">${sha256Hex(bytes)}</code></pre>
      </dd>
      <dt>To sign it</dt>
      <dd>
        <pre class="code" tabindex="0"><code id="shown-commands">${commands}</code></pre>
      </dd>
    </dl> `;
  return part('Signing walk-through', body, { isWide: true });
}
