import { type RequestListener } from 'node:http';
import { languages } from '#shared/html';
import {
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { Memory } from './memory.js';
import {
  deviceCodePage,
  deviceConfirmPage,
  messagePage,
  pageHeaders,
  signOutPage,
} from './pages.js';
import { passkeyScript, passkeyScriptPath } from './passkey-script.js';
import { type Passkeys } from './passkeys.js';
import { issuerOf, type DemoPerson, type Settings } from './settings.js';
import { SignIn } from './sign-in.js';
import { type Said, saidIn } from './texts.js';

/** The client ids of the portal and the command line. */
export const portalClient = 'pesapost-portal';
export const commandLineClient = 'pesapost-cli';

const hourS = 3600;
/** The time that a command line stays signed in: a day's work. */
const commandLineS = 12 * hourS;

/**
 * Creates the provider and its people's sign-in form as one request handler.
 * @param passkeys of its people
 */
export function identityProvider(
  settings: Settings,
  passkeys: Passkeys,
  nowMs?: () => number,
): RequestListener {
  const issuer = issuerOf(settings);
  const provider = new Provider(issuer, configurationOf(settings));
  const answer = provider.callback();
  const signIn = new SignIn(provider, settings.people, passkeys, nowMs);
  const headers = Object.entries(pageHeaders(settings.portalUrl));
  const { host } = new URL(issuer);
  return (request, response) => {
    // Answers contain addresses with the requested host, so another site's host name must not work here.
    if (request.headers.host !== host) {
      response.writeHead(421).end();
      return;
    }
    for (const [name, value] of headers) response.setHeader(name, value);
    if (request.url === passkeyScriptPath) {
      response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' });
      response.end(passkeyScript);
      return;
    }
    signIn
      .answer(request, response)
      .then((isAnswered) => (isAnswered ? undefined : answer(request, response)))
      .catch(() => {
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
  };
}

function configurationOf(settings: Settings): Configuration {
  const bySubject = new Map(settings.people.map((person) => [person.subject, person]));
  return {
    adapter: new Memory().adapter,
    clients: clientsOf(settings),
    jwks: { keys: [{ ...settings.signing_key, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [settings.cookie_key] },
    pkce: { required: () => true },
    scopes: ['openid', 'profile'],
    claims: { openid: ['sub', 'acr'], profile: ['name', 'preferred_username'] },
    // The identity token contains the name, so that the client needs no second request.
    conformIdTokenClaims: false,
    acrValues: ['phr', 'pwd'],
    discovery: { ui_locales_supported: [...languages] },
    responseTypes: ['code'],
    issueRefreshToken: () => false,
    findAccount: (_context, subject) => accountOf(bySubject.get(subject)),
    loadExistingGrant,
    interactions: { policy: policy(), url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: hourS,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: commandLineS,
      IdToken: (_context, _token, client) =>
        client.clientId === commandLineClient ? commandLineS : hourS,
      Interaction: hourS,
      Session: commandLineS,
    },
    renderError: (context, { error, error_description: why = '' }) => {
      const said = saidTo(context);
      html(context, messagePage(said, said.texts.failed, `${why === '' ? error : why}.`));
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: true },
      deviceFlow: deviceFlow(),
      rpInitiatedLogout: {
        enabled: true,
        logoutSource,
        postLogoutSuccessSource: (context) => {
          const said = saidTo(context);
          html(context, messagePage(said, said.texts.signedOut, said.texts.mayClose));
        },
      },
    },
  };
}

/** The library's own policy, but it also asks for consent each time that a native client signs a person in. */
function policy(): interactionPolicy.DefaultPolicy {
  const base = interactionPolicy.base();
  base.get('consent')?.checks.remove('native_client_prompt');
  return base;
}

function clientsOf({ client_secret, portalUrl }: Settings): Configuration['clients'] {
  return [
    {
      client_id: portalClient,
      client_name: 'PesaPost portal',
      client_secret,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [`${portalUrl}/portal/callback`],
      post_logout_redirect_uris: [`${portalUrl}/portal/signed-out`],
      require_auth_time: true,
    },
    {
      client_id: commandLineClient,
      client_name: 'PesaPost command line',
      token_endpoint_auth_method: 'none',
      // A native client's redirect may have any port of the loopback interface.
      application_type: 'native',
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: ['http://127.0.0.1/callback'],
      require_auth_time: true,
    },
  ];
}

function deviceFlow(): NonNullable<NonNullable<Configuration['features']>['deviceFlow']> {
  const formOf = (context: KoaContextWithOIDC) => ({
    action: context.oidc.urlFor('code_verification'),
    xsrf: secretOf(context),
  });
  return {
    enabled: true,
    userCodeInputSource: (context, _form, _out, error) => {
      const said = saidTo(context);
      const problem = error && { problem: said.texts.wrongCode };
      html(context, deviceCodePage(said, { ...formOf(context), ...problem }));
    },
    userCodeConfirmSource: async (context, ...[, , , code]) => {
      await bindNonce(context);
      html(context, deviceConfirmPage(saidTo(context), { ...formOf(context), code }));
    },
    successSource: (context) => {
      const said = saidTo(context);
      html(context, messagePage(said, said.texts.signedIn, said.texts.goesOn));
    },
  };
}

/** Puts the command line's nonce into its identity token; the library omits it in this flow. */
async function bindNonce({ oidc }: KoaContextWithOIDC): Promise<void> {
  const { DeviceCode: code } = oidc.entities;
  const nonce = code?.params?.['nonce'];
  if (!code || typeof nonce !== 'string') return;
  code.nonce = nonce;
  await code.save();
}

/** Ends the session without a question if the request carries its identity token, which no other site has. */
async function logoutSource(context: KoaContextWithOIDC): Promise<void> {
  const { session, params, entities, provider } = context.oidc;
  const hint = entities.IdTokenHint as
    { readonly payload?: { readonly sub?: unknown } } | undefined;
  if (session && hint?.payload?.sub === session.accountId) {
    await session.destroy();
    context.cookies.set(provider.cookieName('session'), null);
    const back = params?.['post_logout_redirect_uri'];
    context.redirect(typeof back === 'string' ? back : context.oidc.urlFor('end_session_success'));
    return;
  }
  const action = context.oidc.urlFor('end_session_confirm');
  html(context, signOutPage(saidTo(context), { xsrf: secretOf(context), action }));
}

function saidTo(context: KoaContextWithOIDC): Said {
  return saidIn(context.oidc.params?.['ui_locales'], context.get('accept-language'));
}

/** Grants the service's own portal and command line their scopes without asking the person. */
async function loadExistingGrant(context: KoaContextWithOIDC) {
  const { client, provider, session } = context.oidc;
  if (!client || session?.accountId === undefined) return undefined;
  const { Grant } = provider;
  const grant = new Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid profile');
  await grant.save();
  return grant;
}

function accountOf(person: DemoPerson | undefined) {
  if (!person) return undefined;
  const { subject, name, login } = person;
  return {
    accountId: subject,
    claims: () => ({ sub: subject, name, preferred_username: login }),
  };
}

/** Returns the library's secret against forged requests from other sites. */
function secretOf({ oidc }: KoaContextWithOIDC): string {
  const { secret } = (oidc.session?.state ?? {}) as { readonly secret?: string };
  if (secret === undefined) throw new TypeError('the form has no secret');
  return secret;
}

function html(context: KoaContextWithOIDC, body: string): void {
  context.type = 'html';
  context.body = body;
}
