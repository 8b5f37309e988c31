import { deliveryStates } from '#shared/glossary';
import {
  listWebhookDeliveries,
  listWebhookHealth,
  listWebhookRequests,
  readWebhookDeliveries,
  resendWebhook,
  type WebhookRequest,
} from '#records/webhooks';
import { type WebhookKind, webhookKinds } from '#domain/merchants';
import type { Delivery, DeliveryAttempt, EndpointHealth } from '#records/webhooks';
import { Database } from '#infra/postgres';
import {
  findWebhookEndpoint,
  findWebhookEvent,
  listWebhookEndpoints,
  type WebhookEndpoint,
} from '#views/webhook-outbox';
import { InvalidArgumentError, Option } from 'commander';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { section, table } from '../../table.js';
import {
  plainCommand,
  type MerchantAndModeOptions,
  withMerchantAndMode,
} from '../plain-command.js';
import { kindOption, requireWords } from './endpoint.js';
import { refuseWithheld, withheldOf } from '../../withheld.js';

/** More deliveries than a person reads. Options narrow the list. */
const maxListed = 200;
/** Requests that are shown of an event, or of a merchant, the newest. */
const maxRequests = 20;
/** Without a delivery, all webhook events are searched: a hundred million take some minutes. */
const searchTimeoutMs = 900_000;

interface ListOptions extends MerchantAndModeOptions {
  readonly kind?: WebhookKind;
  readonly failing?: boolean;
}

interface ListedEndpoint extends WebhookEndpoint {
  readonly health: EndpointHealth | undefined;
}

export const deliveries = withMerchantAndMode(
  plainCommand(
    'deliveries',
    'lists sent webhooks with their outcomes, the newest first; for one merchant, its endpoints too',
    'webhook deliveries --merchant M --mode demo --failing',
  ),
)
  .addOption(new Option('--kind <kind>', 'only those').choices(webhookKinds))
  .option('--failing', 'only those that were attempted and not delivered')
  .action(async ({ merchant, mode, kind, failing = false, json }: ListOptions) => {
    const { found, endpoints, requests, withheld } = await withApp(async (app) => {
      const database = app.get(Database);
      return {
        found: await listWebhookDeliveries(database, {
          ...(merchant === undefined ? {} : { merchantId: merchant }),
          ...(mode === undefined ? {} : { mode }),
          ...(kind === undefined ? {} : { kind }),
          failing,
          limit: maxListed + 1,
        }),
        endpoints: merchant === undefined ? [] : await endpointsOf(database, merchant),
        requests:
          merchant === undefined
            ? []
            : await listWebhookRequests(database, { merchantId: merchant }, maxRequests),
        withheld: await withheldOf(database, { merchant, mode }),
      };
    });
    const listed = found.slice(0, maxListed);
    const more = found.length > maxListed;
    if (json)
      printJson({
        endpoints: endpoints.map(endpointJson),
        deliveries: listed.map(jsonOf),
        more,
        asked_for: requests.map(requestJson),
      });
    else
      printLines([
        ...endpoints.map(endpointLine),
        `deliveries: ${listed.length}${more ? ' and more; narrow the list' : ''}`,
        ...(listed.length === 0 ? [] : table(headings, listed.map(cellsOf))),
        ...section('asked for by hand, the newest first', requests.map(requestLine)),
      ]);
    refuseWithheld(withheld);
  });

async function endpointsOf(
  database: Database,
  merchantId: string,
): Promise<readonly ListedEndpoint[]> {
  const health = await listWebhookHealth(database, merchantId);
  return (await listWebhookEndpoints(database, merchantId)).map((endpoint) => ({
    ...endpoint,
    health: health.find(({ mode, kind }) => mode === endpoint.mode && kind === endpoint.kind),
  }));
}

function endpointLine({ mode, kind, url, enabled, health }: ListedEndpoint): string {
  const { failures = 0, failingSince } = health ?? {};
  const fails = failingSince
    ? `, ${failures} failures in a row since ${failingSince.toISOString()}`
    : '';
  return `${mode} ${kind}: ${url}, ${enabled ? 'enabled' : 'disabled'}${fails}`;
}

function endpointJson({ health, ...endpoint }: ListedEndpoint): object {
  return {
    mode: endpoint.mode,
    kind: endpoint.kind,
    url: endpoint.url,
    enabled: endpoint.enabled,
    standard_headers: endpoint.standardHeaders,
    failures: health?.failures ?? 0,
    failing_since: health?.failingSince ?? null,
    last_success_at: health?.lastSuccessAt ?? null,
  };
}

const headings = ['owed', 'sequence', 'type', 'kind', 'mode', 'merchant', 'attempts', 'now', 'id'];

function cellsOf(of: Delivery): readonly string[] {
  return [
    of.owedAt.toISOString(),
    of.sequence.toString(),
    of.type,
    of.kind,
    of.mode,
    of.merchantId,
    of.attempts.toString(),
    standing(of),
    of.webhookId,
  ];
}

function standing({ outcome, nextAttemptAt, lastOutcome, lastStatus }: Delivery): string {
  if (outcome === 'delivered') return deliveryStates.delivered.en;
  const last = lastOutcome === null ? '' : ` (${resultOf(lastOutcome, lastStatus)})`;
  const next = nextAttemptAt
    ? `next at ${nextAttemptAt.toISOString()}`
    : deliveryStates[outcome ?? 'over'].en;
  return `${next}${last}`;
}

function resultOf(outcome: string, status: number | null): string {
  if (status === null) return outcome;
  if (outcome === 'refused') return `refused, status ${status}`;
  return outcome === 'status' ? `status ${status}` : outcome;
}

function jsonOf(of: Delivery): object {
  return {
    id: of.webhookId,
    merchant_id: of.merchantId,
    mode: of.mode,
    kind: of.kind,
    sequence: of.sequence,
    type: of.type,
    owed_at: of.owedAt,
    attempts: of.attempts,
    outcome: of.outcome,
    next_attempt_at: of.nextAttemptAt,
    ended_at: of.endedAt,
    last_outcome: of.lastOutcome,
    last_status: of.lastStatus,
  };
}

function parseEventId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('must be an event’s id, as PesaPost-Event-Id has it');
  return text.toLowerCase();
}

function requestLine({ isSample, type, webhookId, kind, mode, ...by }: WebhookRequest): string {
  const { person, holder, reason, askedAt } = by;
  const what = `${isSample ? `a sample of ${type}` : webhookId}, ${kind}, ${mode}`;
  const who = holder === null ? person : `${person} (${holder})`;
  return `${askedAt.toISOString()}  ${what}, by ${who}${reason === null ? '' : `: ${reason}`}`;
}

function requestJson(of: WebhookRequest): object {
  return {
    id: of.webhookId,
    kind: of.kind,
    mode: of.mode,
    type: of.type,
    sample: of.isSample,
    by: of.person,
    holder: of.holder,
    reason: of.reason,
    asked_at: of.askedAt,
  };
}

/**
 * The event, and its deliveries.
 * @throws Refused if no event has the id
 */
async function eventOf(database: Database, id: string) {
  const log = await readWebhookDeliveries(database, id);
  const [place] = log.deliveries;
  const event = await database.transaction(
    (transaction) => findWebhookEvent(transaction, id, place),
    { readOnly: true, ...(place === undefined && { statementTimeoutMs: searchTimeoutMs }) },
  );
  if (!event)
    throw new Refused([`no webhook event ${id}: is it the id of the event, not of its item?`]);
  return { event, log };
}

export const show = plainCommand(
  'show',
  'shows an event: its body, its endpoint, each attempt, and who sent it again by hand',
  'webhook show 0193f9a2-7c3e-7a11-8a55-0c6f3a3b2d11',
)
  .argument('<id>', 'the event’s id', parseEventId)
  .action(async (id: string, { json }: { readonly json?: true }) => {
    const { event, log, requests } = await withApp(async (app) => {
      const database = app.get(Database);
      const found = await eventOf(database, id);
      return {
        ...found,
        requests: await listWebhookRequests(database, { webhookId: id }, maxRequests),
      };
    });
    const { merchantId, mode, sequence, type, recordedAt, body } = event;
    const attemptsOf = (kind: string) => log.attempts.filter((of) => of.kind === kind);
    if (json)
      printJson({
        id,
        merchant_id: merchantId,
        mode,
        sequence,
        type,
        recorded_at: recordedAt,
        body,
        deliveries: log.deliveries.map((of) => ({
          ...jsonOf(of),
          attempts: attemptsOf(of.kind).map(attemptJson),
        })),
        asked_for: requests.map(requestJson),
      });
    else
      printLines([
        `${type}, sequence ${sequence}, of ${recordedAt.toISOString()}`,
        `merchant ${merchantId}, ${mode}`,
        ...log.deliveries.flatMap((of) => [
          ...section(`${of.kind}: ${standing(of)}`, attemptsOf(of.kind).map(attemptLine)),
        ]),
        ...(log.deliveries.length === 0 ? ['owed to no endpoint: it is in the feed'] : []),
        ...section('asked for by hand, the newest first', requests.map(requestLine)),
        ...section('body', [body]),
      ]);
  });

function attemptLine({ attempt, startedAt, durationMs, outcome, status }: DeliveryAttempt): string {
  return `${attempt}  ${startedAt.toISOString()}  ${resultOf(outcome, status)}  ${durationMs} ms`;
}

function attemptJson({ attempt, startedAt, durationMs, status, outcome }: DeliveryAttempt): object {
  return { attempt, started_at: startedAt, duration_ms: durationMs, status, outcome };
}

interface ResendOptions extends ChangeOptions {
  readonly kind: WebhookKind;
}

export const resend = change(
  'resend',
  'sends an event now, even if it was delivered before; with the same id and the same bytes',
  'webhook resend 0193f9a2-7c3e-7a11-8a55-0c6f3a3b2d11 --reason "their server was down"',
)
  .argument('<id>', 'the event’s id', parseEventId)
  .addOption(kindOption())
  .action(async (id: string, options: ResendOptions) => {
    const { kind, json } = options;
    await withApp(async (app) => {
      const database = app.get(Database);
      const { event } = await eventOf(database, id);
      const { merchantId, mode } = event;
      requireWords(kind, event.type);
      const endpoint = await findWebhookEndpoint(database, { merchantId, mode, kind });
      const of = `--merchant ${merchantId} --mode ${mode} --kind ${kind}`;
      if (!endpoint)
        throw new Refused([`there is no ${kind} endpoint: npx pesapost webhook set ${of}`]);
      if (!endpoint.enabled)
        throw new Refused([`the endpoint is disabled: npx pesapost webhook enable ${of}`]);
      await resendWebhook(database, event, kind, operatorMetadata(options));
    });
    if (json) printJson({});
    else printLines([`due now: look with npx pesapost webhook show ${id}`]);
  });
