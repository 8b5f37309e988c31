import { type EndpointUrlWrong, maxEndpointUrlLength, readEndpointUrl } from '#desk/operators';
import { Refused } from '../../refused.js';

const explained = {
  no_url: '--url is no URL; it looks like https://shop.example/webhooks',
  not_https: '--url must be https: what webhooks tell must not be read or changed on its way',
  has_credentials:
    '--url contains a name or password, and events are stored for ever. Check the signature instead',
  has_fragment: '--url has a fragment: remove the part after #',
  too_long: `--url is longer than ${maxEndpointUrlLength} characters`,
  has_phone: '--url must not contain a phone number, because events are stored for ever',
  not_public:
    '--url is no address of the internet. Webhooks go to this machine or its network only if ' +
    'WEBHOOK_ALLOW_PRIVATE is on',
} as const satisfies Record<EndpointUrlWrong, string>;

/**
 * The URL in its normal form.
 * @throws Refused
 */
export function endpointUrl(text: string, allowPrivate: boolean): string {
  const url = readEndpointUrl(text, allowPrivate);
  if (!url.ok) throw new Refused([explained[url.refusal]]);
  return url.value;
}
