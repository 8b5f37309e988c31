import { batchBodyLimitBytes, errorTerms, orderOfChecks, requestLimits } from '#edges/api-v4';
import { testNumbers } from './test-numbers.js';
import { bodyLimitBytes, bodyLimitsFor, connectionLimits } from '#shared/http';

const unfinished = bodyLimitsFor(batchBodyLimitBytes);
const mebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;

const { timestampToleranceSeconds, nonceTtlSeconds } = requestLimits;

const orderedChecks = orderOfChecks
  .map(({ what, on, refusals }, index) => {
    const where = {
      every: '',
      body: ' (requests with a body)',
      'money-movement': ' (calls that move money)',
    };
    return `${index + 1}. ${what}${where[on]}: ${refusals.map((code) => `\`${code}\``).join(', ')}`;
  })
  .join('\n');

const firstNumbers = testNumbers
  .filter(({ isCommon }) => isCommon)
  .map(({ phone, outcome }) => `- \`${phone}\`: ${outcome}`)
  .join('\n');

const lead = `PesaPost collects mobile-money payments. A signed request becomes a push to the customer’s phone. When M-Pesa confirms, the money is posted to the merchant’s wallet, once.`;

/** The sections of the introduction, for pages that have one of them. */
export const sections = {
  authentication: {
    title: 'Authentication',
    text: `Every call except the one for the token needs three things: an access token (\`POST /api/v4/oauth/token\`), a source address on the credential’s list, and an RSA signature over the request. The credential determines the mode, live or demo. The data of the two modes is separate.

The string to sign is UTF-8. It has six lines joined by one line feed (LF), without a line feed at the end:

1. the method, in capitals
2. the path as sent, with its percent-encoding
3. the canonical query: each name and value percent-decoded, then encoded by RFC 3986 (letters, digits, \`-._~\` kept, space \`%20\`, upper-case hex), sorted by encoded name, then by encoded value, joined as \`name=value\` with \`&\`; an empty value keeps its \`=\`, a \`+\` is a literal plus, empty parts between \`&\` are dropped, and no query gives an empty line
4. the SHA-256 of the body’s bytes in lower-case hex, of zero bytes if there is no body
5. the nonce, as in \`X-PP-Nonce\`
6. the timestamp, as in \`X-PP-Timestamp\`

Sign it with RSASSA-PKCS1-v1_5 and SHA-256 (RSA, 2048 bits or more), and send the signature in standard base64 in \`X-PP-Signature\`. The timestamp may differ from the server’s clock by ${timestampToleranceSeconds} s. A nonce is remembered for ${nonceTtlSeconds} s.`,
  },
  orderOfChecks: {
    title: 'Order of checks',
    text: `An unknown path (404 \`not_found\`), a wrong method (405 \`method_not_allowed\`) and a body that is too large (413 \`payload_too_large\`) are answered first. The following checks run in this order, and the first failure determines the answer:

${orderedChecks}

The fields are checked last, in the order of this reference. Each has its own code.`,
  },
  errors: {
    title: 'Errors',
    text: `Errors have one shape: \`{"error": "<code>"}\`. A 400 may add \`detail\`, one sentence that names the field and the rule. Unknown members of a body and unknown query parameters are rejected, and \`detail\` names them. In demo mode \`timestamp_expired\` and \`invalid_signature\` have a \`detail\` too. It gives the server’s time, the SHA-256 of the string that was verified, and its six lines, so that you can find the first line that differs from yours. \`service_unavailable\`: ${errorTerms.service_unavailable.meaning.en} The service fails closed: it does not serve a request whose nonce could not be recorded.`,
  },
  limits: {
    title: 'Limits',
    text: `- A body has at most ${bodyLimitBytes / 1024} KiB, or ${batchBodyLimitBytes / 1024} KiB for a batch of payouts. The head of a request has at most 16 KiB.
- Unfinished bodies: at most ${mebibytes(unfinished.maxBytesPerSource)} from one client address (beyond it 429 \`rate_limited\`), and ${mebibytes(unfinished.maxBytes)} in total (beyond it 503 \`service_unavailable\`). A body is read only after the bearer token and the source address have passed.
- The head must arrive within ${connectionLimits.headersTimeoutMs / 1000} s, and the whole request within ${connectionLimits.requestTimeoutMs / 1000} s. After that, or if the bytes are not HTTP, the answer is 400 \`invalid_request\` and the connection is closed.
- An address, or an IPv6 network (/64), may have ${connectionLimits.maxPerSource.toLocaleString('en')} connections, and a connection ${connectionLimits.maxUnanswered} unanswered requests. A connection beyond that is closed, and so is one that reads nothing of an answer for ${connectionLimits.unreadTimeoutMs / 1000} s.
- The credential’s rate is in \`RateLimit-Policy\`. Calls over it get 429 \`rate_limited\` with \`Retry-After\`. Failed authentications are limited per source address too.
- A create call gets its response when M-Pesa has answered, or after 10 s (a setting of the service) as \`pending\` with \`rail_reference: null\`.`,
  },
  safeToRepeat: {
    title: 'Safe to repeat',
    text: `**A reference names one collection, for ever. If you create a collection with a reference that exists, the answer is 202 with the current state of that collection, and nothing is pushed. It has \`X-PP-Existing: true\`, and \`X-PP-Differs\` names the fields of your request that differ. Never ship on \`completed\` if \`X-PP-Differs\` is present.** The SDK throws in this case. A new reference must not contain the customer’s phone number.

After a timeout, a broken connection, a 409, a 429 or a 5xx, repeat the create call with the same \`Idempotency-Key\`, a new nonce and a new signature, as often as you like. A reference is pushed at most once, for ever. Ignore members of an answer that you do not know, because more may be added.

A prompt is valid for about a minute. If M-Pesa’s callback is lost, the service queries M-Pesa after 75 s. Poll \`GET /api/v4/collections/{reference}\` for 120 s before you tell a customer that the outcome is not known.`,
  },
  testNumbers: {
    title: 'Test numbers',
    text: `In demo mode the phone number determines the outcome, as test cards do. Any other number pays.

${firstNumbers}`,
  },
  libraries: {
    title: 'Libraries and the checkout page',
    text: `The SDK for TypeScript and JavaScript, \`@pesapost/sdk\`, signs requests, retries safely and verifies webhooks. A shop without its own payment page sends customers to the hosted page \`/checkout\` with a signed link. The repository has a guide for each (docs/how-to/integrate-with-the-sdk.md, docs/how-to/take-payments-on-the-checkout-page.md).

\`amount_minor\` is an integer of minor units. JavaScript’s numbers are exact up to 2^53. \`JSON.stringify\` throws on a \`bigint\`, so write it as text.`,
  },
} as const;

/** The rules for every call, in Markdown. Figures come from the code that enforces them. */
export const introduction = [
  lead,
  ...Object.values(sections).map(({ title, text }) => `## ${title}\n\n${text}`),
]
  .join('\n\n')
  .concat('\n');
