import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { merchantStream, type WebhookEndpointSet } from '../merchant.events.js';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type WebhookEndpointKey, WebhookSecrets } from '../ports.js';

/** `endpoint_changed`: its URL is not the one that the caller expected. */
export type WebhookRefusal = 'unknown_merchant' | 'no_endpoint' | 'endpoint_changed';

/** The change of an endpoint of a merchant, mode and kind. */
export type WebhookChange =
  /** Sends to this URL from now on, enabled, whatever was set before. */
  | { readonly to: 'set'; readonly url: string; readonly standardHeaders: boolean }
  /** @param url if given, disables only while this is the endpoint's URL */
  | { readonly to: 'disable'; readonly url?: string }
  | { readonly to: 'enable' }
  /** A new secret signs. The previous one signs beside it for 24 h. */
  | { readonly to: 'rotate' };

/**
 * Sets the URL and the signing secret of a merchant's webhooks. It answers with the secret if one was created, or if an
 * interrupted command had created it but not shown it.
 */
export class SetWebhookEndpoint extends Command<Result<string | undefined, WebhookRefusal>> {
  constructor(
    readonly endpoint: WebhookEndpointKey,
    readonly change: WebhookChange,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetWebhookEndpoint)
export class SetWebhookEndpointHandler implements ICommandHandler<SetWebhookEndpoint> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** @throws EventStoreUnavailable, DependencyUnavailable */
  async execute({
    endpoint,
    change,
    metadata,
  }: SetWebhookEndpoint): Promise<Result<string | undefined, WebhookRefusal>> {
    const stream = merchantStream(endpoint.merchantId);
    const step = { decider: merchantDecider, stream, metadata };
    const before = await this.pipeline.load(step);
    const secretId = this.pipeline.newId();
    const asked = decideSetWebhookEndpoint({ endpoint, change, secretId }, before.state);
    if (!asked.ok) return asked;
    const needsSecret = asked.value.some(({ data }) => data.secretId === secretId);
    // Before the event, because an endpoint must never exist without its secret.
    if (needsSecret) await this.secrets.make(endpoint, secretId);
    const set = await this.pipeline.run(
      step,
      (state) => decideSetWebhookEndpoint({ endpoint, change, secretId }, state),
      before,
    );
    if (!set.ok) return set;
    const { state, revision } = set.value;
    const standingId = standingOf(state, endpoint)?.secretId;
    if (standingId === undefined || revision === 'no_stream') return ok(undefined);
    // After the event: if the event cannot be written, the merchant's known secret keeps signing.
    if (standingId === secretId) return ok(await this.secrets.settle(endpoint, secretId, revision));
    // The command that settles the secret shows it. That may be another command that sets the endpoint at the same
    // moment or later.
    return ok(
      change.to === 'set'
        ? await this.secrets.settleFirst(endpoint, standingId, revision)
        : undefined,
    );
  }
}

/** @param asked `secretId` names the secret that is created if one is needed */
export function decideSetWebhookEndpoint(
  asked: {
    readonly endpoint: WebhookEndpointKey;
    readonly change: WebhookChange;
    readonly secretId: string;
  },
  state: Merchant,
): Result<readonly WebhookEndpointSet[], WebhookRefusal> {
  const { endpoint, change, secretId } = asked;
  if (state.kind === 'none') return refuse('unknown_merchant');
  const { mode, kind } = endpoint;
  const standing = standingOf(state, endpoint);
  if (change.to === 'set') {
    const { url, standardHeaders } = change;
    // V3's webhooks are keyed with the consumer key.
    const signed = kind === 'v3' ? {} : { secretId: standing?.secretId ?? secretId };
    const headers = standardHeaders ? { standardHeaders } : {};
    return happened({ mode, kind, url, enabled: true, ...headers, ...signed });
  }
  if (!standing) return refuse('no_endpoint');
  if (change.to === 'rotate') return kind === 'v3' ? ok([]) : happened({ ...standing, secretId });
  if (change.to === 'disable' && change.url !== undefined && change.url !== standing.url)
    return refuse('endpoint_changed');
  const enabled = change.to === 'enable';
  return enabled === standing.enabled ? ok([]) : happened({ ...standing, enabled });
}

function standingOf(
  state: Merchant,
  { mode, kind }: WebhookEndpointKey,
): WebhookEndpointSet['data'] | undefined {
  if (state.kind === 'none') return undefined;
  return state.webhooks.find((of) => of.mode === mode && of.kind === kind);
}

function happened(data: WebhookEndpointSet['data']): Result<readonly WebhookEndpointSet[], never> {
  return ok([{ type: 'WebhookEndpointSet', data }]);
}
