import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { notSignedIn, signInRefused } from './sign-in-refused.js';
import { type Anew, type KnownIssuer, longestWaitMs, type Tokens } from './known-issuer.js';

/** The path to which the issuer leads the browser back. A port is chosen for each sign-in (RFC 8252, section 7.3). */
const callbackPath = '/callback';

/** Opens an address in the person's browser. */
type Open = (url: string) => void;

/**
 * Signs a person in with the browser of this machine: the authorization code flow with PKCE, whose answer comes to a
 * port of the loopback interface (RFC 8252). The issuer is asked for `max_age`, `acr_values` and the nonce as the portal
 * asks.
 * @param anew undefined if the issuer need not ask a person whom it remembers
 * @throws Refused
 */
export async function tokensByBrowser(
  { client, configuration, issuer }: KnownIssuer,
  anew: Anew | undefined,
  open: Open = openInBrowser,
): Promise<Tokens> {
  const [state, verifier] = [client.randomState(), client.randomPKCECodeVerifier()];
  const nonce = anew?.nonce ?? client.randomNonce();
  const callback = await Callback.listen(state);
  try {
    const { href } = client.buildAuthorizationUrl(configuration, {
      redirect_uri: callback.uri,
      scope: 'openid profile',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(anew && { max_age: '0', prompt: 'login' }),
      ...(anew && anew.proof.asked.length > 0 && { acr_values: anew.proof.asked.join(' ') }),
    });
    process.stderr.write(`sign in in your browser, which opens ${href}\n`);
    process.stderr.write('if it shows an error, press Ctrl-C and take: pesapost login --device\n');
    open(href);
    const answer = await callback.answer();
    const tokens = await client.authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const { id_token: idToken, refresh_token: refreshToken } = tokens;
    if (idToken !== undefined) return { idToken, refreshToken };
  } catch (error) {
    throw signInRefused(error, issuer);
  } finally {
    callback.close();
  }
  throw notSignedIn('the issuer did not say who you are');
}

/** Waits on the loopback interface for the browser that comes back from the issuer. */
class Callback {
  private constructor(
    private readonly server: Server,
    private readonly state: string,
  ) {}

  static async listen(state: string): Promise<Callback> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Callback(server, state);
  }

  get uri(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${callbackPath}`;
  }

  /**
   * Answers any other request, and one of another sign-in, with an error, and continues to wait.
   * @returns the address to which the issuer led the browser
   * @throws Refused if it does not come in time
   */
  answer(): Promise<URL> {
    return new Promise((resolve, reject) => {
      const waits = setTimeout(() => {
        reject(notSignedIn('the browser did not come back in time'));
      }, longestWaitMs);
      this.server.on('close', () => {
        clearTimeout(waits);
      });
      this.server.on('request', (request, response) => {
        const url = new URL(request.url ?? '', this.uri);
        const isOurs =
          url.pathname === callbackPath && url.searchParams.get('state') === this.state;
        response.writeHead(isOurs ? 200 : 404, pageHeaders);
        response.end(isOurs ? 'Return to the terminal. You can close this page.\n' : 'Not here.\n');
        // The connections end with the sign-in, so the browser must have the whole answer first.
        if (isOurs)
          response.on('close', () => {
            resolve(url);
          });
      });
    });
  }

  /** Ends connections that a browser opened in advance, too: they would keep the command from ending. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const pageHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Connection: 'close',
};

/** The command that opens an address, by platform. */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens the address. If it cannot, the person opens the address that is printed. */
function openInBrowser(url: string): void {
  const [program, ...words] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => undefined);
  opener.unref();
}
