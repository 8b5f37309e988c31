import type { FastifyReply, FastifyRequest } from 'fastify';
import { country, currency } from './fields.js';
import type { Keys } from './keys.js';
import type { Portal } from './portal.js';
import { collectionOutcome, payoutOutcome, type Report, sendReport } from './reports.js';
import { bytesOf } from './requests.js';
import { signatureOf } from './signing.js';

/** Checks that come before a request's fields: the headers, and the signature. */
export class Gate {
  constructor(
    private readonly keys: Keys,
    private readonly portal: Portal,
  ) {}

  /** Refuses a request for another country or currency. */
  readonly checkHeaders = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { 'x-country': givenCountry, 'x-currency': givenCurrency } = request.headers;
    const router =
      givenCountry === undefined
        ? 'ROUTER003'
        : givenCountry !== country
          ? 'ROUTER006'
          : givenCurrency === undefined
            ? 'ROUTER119'
            : givenCurrency !== currency
              ? 'ROUTER112'
              : undefined;
    if (router) await sendReport(reply, { router }, this.portal.ways);
  };

  /** Returns the check of a signature: a payment or refund may need one, and a payout may not want one. */
  readonly checkSignature =
    (of: 'payment' | 'payout', version: 'v1' | 'v2') =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { ways } = this.portal;
      const signature = signatureOf(request.headers, bytesOf(request), this.keys);
      const isNeeded = of === 'payment' && (version === 'v2' || ways.signing === 'always');
      const isWrong = signature === 'wrong' || (signature === 'absent' && isNeeded);
      const isUnwanted =
        of === 'payout' && signature === 'good' && ways.signed_payouts === 'refused';
      const mismatch = of === 'payment' ? collectionOutcome('026') : payoutOutcome('016');
      const fault: Report | undefined = isWrong
        ? mismatch
        : isUnwanted
          ? { router: 'ROUTER116' }
          : undefined;
      if (fault) await sendReport(reply, fault, ways);
    };
}
