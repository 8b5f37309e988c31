import { html, markdown } from '#shared/html';
import { sections } from '../document/prose.js';
import { type SitePage } from '../site/page.js';
import { list, note, part } from '../site/parts.js';
import { walkThrough } from './walk-through.js';

/** The section on authentication comes as three paragraphs and a list: the factors, the string, the signature. */
const [factors = '', ...theString] = sections.authentication.text.split('\n\n');

export const signingPage: SitePage = {
  address: '/docs/guides/signing',
  title: 'Authentication and signing',
  description:
    'How to sign a request to PesaPost: access token, source address, the six lines of the string to sign, and a walk-through that shows each byte.',
  script: 'walk-through',
  lead: markdown(factors),
  parts: [
    part(
      'Keys and credentials',
      html`${list([
        'Your private key never leaves your machine. Your operator registers the public one.',
        'A credential has a client id, a secret, a key, a list of source addresses, and one mode: demo or live.',
        'A token is valid for an hour. A new one does not end the others.',
        'Rotate a key by registering a second credential, moving to it, and having the first one revoked.',
      ])}
      ${note('bad', 'A person with the private key can move your money. Keep it in a secret store, never in a repository.')}`,
      {
        samples: [
          {
            title: 'Make a key',
            code: `openssl genpkey -algorithm RSA \\
  -pkeyopt rsa_keygen_bits:2048 -out merchant.key
openssl pkey -in merchant.key -pubout -out merchant.pub`,
          },
        ],
      },
    ),
    part('The string to sign', markdown(theString.join('\n\n')), {
      samples: [
        {
          title: 'Six lines, without a line feed at the end',
          code: `GET
/api/v4/transactions
limit=25&status=completed
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
b1946ac92492d2347c6235b4d2611184
1767225600`,
        },
        {
          title: 'Sign it in a shell. The clients sign by themselves',
          code: `openssl dgst -sha256 -sign merchant.key string-to-sign |
  openssl base64 -A`,
        },
      ],
    }),
    walkThrough(),
    part(sections.orderOfChecks.title, markdown(sections.orderOfChecks.text)),
    part(
      'If a signature is refused',
      html`<p>
          In demo mode the answer’s <code>detail</code> has the six lines that the server read. Find
          the first one that differs from yours. The usual causes:
        </p>
        ${list([
          'a line feed at the end',
          'a body that was sent in other bytes than were signed, because a library serialised it again',
          'a query that was not sorted, or a space sent as `+`',
          'a nonce that was used before: a retry needs a new nonce and a new signature',
          'a clock that is more than 300 s off',
        ])}`,
    ),
  ],
};
