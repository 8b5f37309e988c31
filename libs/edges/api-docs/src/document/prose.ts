import { batchBodyLimitBytes, errorMeanings, orderOfChecks, requestLimits } from '#edges/api-v4';
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

/** The numbers that a developer tries first. The simulator's guide has all of them. */
const testNumbers = [
  ['254712345678', 'pays'],
  ['254700000002', 'the customer cancels: `failed`, `cancelled`'],
  ['254700000003', 'not enough money: `failed`, `insufficient_funds`'],
  ['254700000004', 'wrong PIN: `failed`, `wrong_pin`'],
  ['254700000005', 'no answer: `failed`, `no_answer`'],
  ['254700000006', 'pays, and the callback is lost: `completed` after the first query'],
  ['254700000010', 'pays another amount: stays `pending`, `under_review`'],
  ['254700000011', 'the push is refused at once: 502 `rail_rejected`'],
  ['254700000012', 'the answer to the push is lost: `rail_reference` is `null` at first'],
]
  .map(([phone, what]) => `- \`${phone}\`: ${what}`)
  .join('\n');

/** The rules for every call, in Markdown. Figures come from the code that enforces them. */
export const introduction = `PesaPost collects mobile-money payments: a signed request becomes a push to the customer’s phone, and when the rail confirms, the money is posted to the merchant’s wallet, once.

## Authentication

Every call but the token’s own needs three things: an access token (\`POST /api/v4/oauth/token\`), a source address on the credential’s list, and an RSA signature over the request. Live or demo mode belongs to the credential; the two never meet.

The string to sign is six lines joined by one line feed (LF), without one at the end, in UTF-8:

1. the method, in capitals
2. the path as sent, percent-encodings untouched
3. the canonical query: each name and value percent-decoded, then encoded by RFC 3986 (letters, digits, \`-._~\` kept, space \`%20\`, upper-case hex), sorted by encoded name, then by encoded value, joined as \`name=value\` with \`&\`; an empty value keeps its \`=\`, a \`+\` is a plus, empty parts between \`&\` are left out, no query is an empty line
4. the SHA-256 of the body’s bytes in lower-case hex, of zero bytes where there is no body
5. the nonce, as in \`X-PP-Nonce\`
6. the timestamp, as in \`X-PP-Timestamp\`

Sign it by RSASSA-PKCS1-v1_5 with SHA-256 (RSA, 2048 bits or more) and send standard base64 in \`X-PP-Signature\`. A timestamp may be ${timestampToleranceSeconds} s off, either side; a nonce is remembered for ${nonceTtlSeconds} s.

## Order of checks

An unknown path (404 \`not_found\`), a wrong method (405 \`method_not_allowed\`) and a body that is too large (413 \`payload_too_large\`) are answered first. Then, and the first that fails answers:

${orderedChecks}

Then come the fields, in the order in which they stand here, each with its own code.

## Errors

One shape: \`{"error": "<code>"}\`. A 400 may add \`detail\`, a sentence for people that names the field and the rule. What a call does not know is refused by name, in the body and in the query. In demo mode \`timestamp_expired\` and \`invalid_signature\` have a \`detail\`, too: the server’s time, the SHA-256 of the string that was verified, and its six lines, so that you find the first that is not yours. \`service_unavailable\`: ${errorMeanings.service_unavailable} The service fails closed: a request whose nonce could not be recorded is not served.

## Limits

- A body: ${bodyLimitBytes / 1024} KiB; of a batch of payouts ${batchBodyLimitBytes / 1024} KiB. The head of a request: 16 KiB.
- Bodies that are not whole yet: ${mebibytes(unfinished.maxBytesPerSource)} of one client address, beyond it 429 \`rate_limited\`; ${mebibytes(unfinished.maxBytes)} of all, beyond it 503 \`service_unavailable\`. A body is read after bearer token and source address have passed.
- The head must be here within ${connectionLimits.headersTimeoutMs / 1000} s, the whole request within ${connectionLimits.requestTimeoutMs / 1000} s; after that, or for bytes that are no HTTP, 400 \`invalid_request\` and the connection ends.
- ${connectionLimits.maxPerSource.toLocaleString('en')} connections of one address, or of one IPv6 network (/64), ${connectionLimits.maxUnanswered} unanswered requests of one connection. Beyond that it is closed, and so is one that takes nothing of an answer for ${connectionLimits.unreadTimeoutMs / 1000} s.
- The credential’s rate is in \`RateLimit-Policy\`; over it 429 \`rate_limited\` with \`Retry-After\`. Failed authentications are limited per source address, too.
- A create call answers when the rail has, within 10 s (the service’s setting); then \`pending\` with \`rail_reference: null\`.

## Safe to repeat

**A reference names one collection, for ever. A create call whose reference exists is answered 202 with that collection as it stands, whatever the call asks for, and nothing is pushed: \`X-PP-Existing: true\` says so, and \`X-PP-Differs\` names the fields in which your request is another. Never ship on \`completed\` where \`X-PP-Differs\` is there.** The SDK throws then. A new reference must not hold the customer’s phone number.

Repeat a create call with the same \`Idempotency-Key\`, a new nonce and a new signature, as often as you like: after a time-out, a broken connection, a 409, a 429 or a 5xx. A reference is pushed at most once, for ever. Ignore members that you do not know: more may be added.

How long to wait: a prompt lives about a minute, and where the rail’s callback is lost, the rail is asked after 75 s. Ask by reference (\`GET /api/v4/collections/{reference}\`) for 120 s before you tell a customer that you do not know.

## Test numbers

In demo mode the whole phone number decides what happens, as with test cards. Any other number pays.

${testNumbers}

## Libraries and the checkout page

The SDK for TypeScript and JavaScript, \`@pesapost/sdk\`, signs, repeats safely and verifies webhooks. A shop without code of its own on the customer’s side sends customers to the hosted page \`/checkout\` with a signed link; the repository’s guides lead through both (docs/how-to/integrate-with-the-sdk.md, docs/how-to/take-payments-on-the-checkout-page.md).

\`amount_minor\` is an integer of minor units at any size. JavaScript’s numbers are exact to 2^53; \`JSON.stringify\` throws on a \`bigint\`, so write it as text.
`;
