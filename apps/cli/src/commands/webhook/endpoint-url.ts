import { isPublicAddress } from '#edges/webhooks';
import { redactText } from '#infra/runtime';
import { isIP } from 'node:net';
import { Refused } from '../../refused.js';

const maxLength = 2048;
/** Names that lead to this machine or stay inside a network (RFC 6761, 6762, 8375 and ICANN's `internal`). */
const privateName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * The URL in its normal form. The address of its name is checked at each connection (WEB-12).
 * @throws Refused
 */
export function endpointUrl(text: string, allowPrivate: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Refused([`--url is no URL; it looks like https://shop.example/webhooks`]);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw new Refused([
      '--url must be https: what webhooks tell must not be read or changed on its way',
    ]);
  if (url.username !== '' || url.password !== '')
    throw new Refused([
      '--url holds a name or password: events are for ever. A webhook is known by its signature',
    ]);
  if (url.hash !== '' || text.includes('#')) throw new Refused(['--url has a fragment: leave it']);
  if (url.href.length > maxLength)
    throw new Refused([`--url is longer than ${maxLength} characters`]);
  if (redactText(url.href) !== url.href)
    throw new Refused(['--url must hold no phone number: events are for ever']);
  if (!allowPrivate && isPrivate(url.hostname))
    throw new Refused([
      `--url: ${url.hostname} is no address of the internet. Webhooks go to this machine or its network only where ` +
        'WEBHOOK_ALLOW_PRIVATE is on',
    ]);
  return url.href;
}

/** True for a private address, however it is written, and for a name that is private by itself. */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? privateName.test(host) : !isPublicAddress(host);
}
