import { Injectable } from '@nestjs/common';
import { acceptedAlgorithms } from '#shared/openid';
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import { type IssuerOptions, PortalOptions } from '../portal-options.js';
import { discoveryFailureOf, namedAs, SignInFailure } from './sign-in-failure.js';

type Client = typeof import('openid-client');

/** The library, and the provider as the library knows it. */
export interface Connected {
  readonly client: Client;
  readonly configuration: Configuration;
}

/** The limit for each call of the provider. */
const timeoutSeconds = 5;
/** Time for which the provider's metadata is trusted. Its keys are read anew at each sign-in. */
const metadataMaxAgeMs = 10 * 60_000;

/** Knows the issuer's metadata. It loads the library when the first person signs in or, in live mode, at start. */
@Injectable()
export class ProviderConnection {
  readonly options: IssuerOptions;
  private known:
    { readonly metadata: Promise<ServerMetadata>; readonly readAtMs: number } | undefined;

  constructor({ issuer }: PortalOptions) {
    if (!issuer) throw new TypeError('signing in needs an issuer');
    this.options = issuer;
  }

  /**
   * Makes a new configuration each time: the library keeps keys in it for minutes, but a withdrawn key must not count.
   * @throws SignInFailure
   */
  async open(): Promise<Connected> {
    const client = await library();
    const metadata = await this.metadata();
    const { clientId, clientSecret } = this.options;
    const { id_token_signing_alg_values_supported: offered } = metadata;
    const configuration = new client.Configuration(
      { ...metadata, id_token_signing_alg_values_supported: acceptedAlgorithms(offered) },
      clientId,
      {},
      authentication(client, clientSecret),
    );
    configuration.timeout = timeoutSeconds;
    client.enableNonRepudiationChecks(configuration);
    if (this.isPlainHttp) allowPlainHttp(client)(configuration);
    return { client, configuration };
  }

  /** @throws SignInFailure */
  metadata(): Promise<ServerMetadata> {
    if (this.known && performance.now() - this.known.readAtMs < metadataMaxAgeMs)
      return this.known.metadata;
    const metadata = this.discover();
    this.known = { metadata, readAtMs: performance.now() };
    // After a failure, the next sign-in reads the metadata again.
    metadata.catch(() => (this.known = undefined));
    return metadata;
  }

  /** True if OIDC_ISSUER itself begins with http; live mode refuses such an issuer (POR-1). */
  private get isPlainHttp(): boolean {
    return this.options.issuer.startsWith('http:');
  }

  private async discover(): Promise<ServerMetadata> {
    const { issuer, clientId } = this.options;
    const client = await library();
    try {
      const found = await client.discovery(new URL(issuer), clientId, {}, client.None(), {
        timeout: timeoutSeconds,
        ...(this.isPlainHttp && { execute: [allowPlainHttp(client)] }),
      });
      return namedAs(issuer, found.serverMetadata());
    } catch (error) {
      throw error instanceof SignInFailure ? error : discoveryFailureOf(error, issuer);
    }
  }
}

let loading: Promise<Client> | undefined;

/** Loads the library when it is needed: it takes some 20 ms, which the start of the API must not wait for. */
function library(): Promise<Client> {
  return (loading ??= import('openid-client'));
}

/** Allows plain http, because an issuer on this machine has no certificate. */
function allowPlainHttp(client: Client): (configuration: Configuration) => void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- only marked so, to stand out; live mode refuses such an issuer
  return client.allowInsecureRequests;
}

/** Uses Basic, which is every provider's default, unless the provider lists only other methods. */
function authentication(client: Client, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (known.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}
