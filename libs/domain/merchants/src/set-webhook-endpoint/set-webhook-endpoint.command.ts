import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { merchantStream, type WebhookEndpointSet } from '../merchant.events.js';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type WebhookEndpointKey, WebhookSecrets } from '../ports.js';

/** `endpoint_changed`: it goes elsewhere than the caller thought. */
export type WebhookRefusal = 'unknown_merchant' | 'no_endpoint' | 'endpoint_changed';

/** What becomes of the endpoint of a merchant, mode and kind. */
export type WebhookChange =
  /** It goes there from now on, enabled, whatever was set before. */
  | { readonly to: 'set'; readonly url: string; readonly standardHeaders: boolean }
  /** @param url where given, only as long as it goes there */
  | { readonly to: 'disable'; readonly url?: string }
  | { readonly to: 'enable' }
  /** A new secret signs; the one before signs beside it for 24 h. */
  | { readonly to: 'rotate' };

/**
 * Says where a merchant's webhooks go and with what they are signed. Answers with the secret where one was made, or where
 * the command that made it broke off before it had it to show.
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
    // Before the event: an endpoint must never stand without what signs for it.
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
    // After the event: where it cannot be written, the secret that the merchant knows goes on signing.
    if (standingId === secretId) return ok(await this.secrets.settle(endpoint, secretId, revision));
    // Whoever settles it shows it: that may be another one who set the endpoint at the same moment, or again.
    return ok(
      change.to === 'set'
        ? await this.secrets.settleFirst(endpoint, standingId, revision)
        : undefined,
    );
  }
}

/** @param asked `secretId` names the secret that is made where one is needed */
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
    // V3's are keyed on the consumer key.
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
