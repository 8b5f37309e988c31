import { Pool } from 'undici';

/** The simulator's default merchant. */
const merchant = {
  shortcode: '174379',
  passkey: 'simulator-passkey',
  consumerKey: 'simulator-key',
  consumerSecret: 'simulator-secret',
};
const connections = 128;
const eastAfricaMs = 3 * 3_600_000;

/** Pushes to the simulator over kept-alive connections, with its only token. */
export class RailClient {
  #token: Promise<string> | undefined;
  private readonly pool: Pool;

  constructor(url: string) {
    this.pool = new Pool(url, { connections, pipelining: 1 });
  }

  /** @returns the rail's reference; undefined if it refused */
  async push(prompt: {
    readonly phone: string;
    readonly amountMinor: number;
    readonly accountReference: string;
    readonly callbackUrl: string;
  }): Promise<string | undefined> {
    const timestamp = new Date(Date.now() + eastAfricaMs)
      .toISOString()
      .replace(/\D/g, '')
      .slice(0, 14);
    const { shortcode, passkey } = merchant;
    const body = JSON.stringify({
      BusinessShortCode: shortcode,
      Password: Buffer.from(shortcode + passkey + timestamp).toString('base64'),
      Timestamp: timestamp,
      TransactionType: 'CustomerPayBillOnline',
      Amount: prompt.amountMinor / 100,
      PartyA: prompt.phone,
      PartyB: shortcode,
      PhoneNumber: prompt.phone,
      CallBackURL: prompt.callbackUrl,
      AccountReference: prompt.accountReference,
      TransactionDesc: 'Payment',
    });
    const answer = await this.pool.request({
      method: 'POST',
      path: '/mpesa/stkpush/v1/processrequest',
      headers: {
        authorization: `Bearer ${await (this.#token ??= this.fetchToken())}`,
        'content-type': 'application/json',
      },
      body,
    });
    const { CheckoutRequestID } = (await answer.body.json()) as { CheckoutRequestID?: string };
    return CheckoutRequestID;
  }

  private async fetchToken(): Promise<string> {
    const pair = `${merchant.consumerKey}:${merchant.consumerSecret}`;
    const answer = await this.pool.request({
      method: 'GET',
      path: '/oauth/v1/generate?grant_type=client_credentials',
      headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    });
    return ((await answer.body.json()) as { access_token: string }).access_token;
  }
}
