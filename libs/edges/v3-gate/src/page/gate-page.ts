import { createHash } from 'node:crypto';

const style = `
body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.375rem;line-height:1.25}
hr{border:0;border-top:1px solid #767676;margin:2rem 0}
@media (prefers-color-scheme:dark){body{color:#f0f0f0;background:#161616}}
`;

/** Allows this page its own style and nothing else. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface Words {
  readonly title: string;
  readonly text: string;
}

/** Makes a short page in English and in Swahili, for a visitor whose link leads nowhere. */
function page(english: Words, swahili: Words): { readonly html: Buffer; readonly policy: string } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${english.title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${english.title}</h1>
<p>${english.text}</p>
<hr>
<section lang="sw">
<h1>${swahili.title}</h1>
<p>${swahili.text}</p>
</section>
</main>
</body>
</html>
`;
  return { html: Buffer.from(html), policy };
}

/** 410: V3 is retired. */
export const gonePage = page(
  {
    title: 'This payment link no longer works',
    text: 'You cannot start a payment with it. A payment that you made already is still valid. Ask the business that sent the link for a new one.',
  },
  {
    title: 'Kiungo hiki cha malipo hakifanyi kazi tena',
    text: 'Huwezi kuanza malipo kwa kiungo hiki. Malipo uliyokwisha kufanya yako salama. Omba kiungo kipya kutoka kwa biashara iliyokutumia.',
  },
);

/** 503: it is unknown whether V3 is still in service. */
export const unavailablePage = page(
  {
    title: 'Please try again in a moment',
    text: 'Open the link again in a minute. A payment that you made already is still valid.',
  },
  {
    title: 'Tafadhali jaribu tena baada ya muda mfupi',
    text: 'Fungua kiungo tena baada ya dakika moja. Malipo uliyokwisha kufanya yako salama.',
  },
);
