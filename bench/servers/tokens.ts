import { setTimeout as sleep } from 'node:timers/promises';

/** A token is valid for an hour (AUTH-21), and some cases take longer. */
const renewEveryMs = 20 * 60_000;
const deadlineMs = 30_000;
/** The projector shows a new credential within a second. Ten failures a minute would block its address. */
const attempts = 8;
const pauseMs = 500;

/** The tokens of a service's credentials, each renewed long before it expires. */
export class Tokens {
  readonly #timers: NodeJS.Timeout[] = [];

  /** Signs in with a new credential, once the projector has shown it to the API. */
  async of(
    port: number,
    credential: { readonly clientId: string; readonly clientSecret: string },
  ): Promise<{ readonly accessToken: string }> {
    const basic = `${credential.clientId}:${credential.clientSecret}`;
    const token = { accessToken: await signIn(port, basic) };
    const renew = (): void => {
      signIn(port, basic).then(
        (renewed) => {
          token.accessToken = renewed;
        },
        (error: unknown) => {
          process.stderr.write(`a token was not renewed: ${String(error)}\n`);
        },
      );
    };
    this.#timers.push(setInterval(renew, renewEveryMs).unref());
    return token;
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }
}

async function signIn(port: number, basic: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    await sleep(pauseMs);
    const response = await fetch(`http://127.0.0.1:${port}/api/v4/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      signal: AbortSignal.timeout(deadlineMs),
    });
    const { access_token: token } = (await response.json()) as { access_token?: string };
    if (token !== undefined) return token;
    if (attempt === attempts) throw new Error(`no token: HTTP ${response.status}`);
  }
}
