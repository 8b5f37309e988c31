import { eventually, pesapost, type Service } from '#testing';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { CollectionFlow, type CrashFlow, trace } from './crash-flows.js';
import { callsReturned, dieAt, firstSince, type Passing, passingsOf } from './crash-points.js';
import { type RecordsUnderTest } from './records.js';

/** A merchant's endpoint that accepts every webhook. */
export class WebhookEndpoint {
  /** Bodies as received. */
  readonly bodies: string[] = [];
  /** References of the items that it received. */
  readonly told = new Set<string>();
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { reference: string } };
      this.told.add(data.reference);
      this.bodies.push(body);
      response.end();
    });
  });

  /** Sets the endpoint for the service's merchant, before the collections whose webhooks it is to get. */
  static async open({ env, merchant }: Service): Promise<WebhookEndpoint> {
    const endpoint = new WebhookEndpoint();
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve));
    const { port } = endpoint.#server.address() as AddressInfo;
    const of = ['--merchant', merchant.credentials.merchantId, '--mode', 'demo'];
    const why = ['--reason', 'test', '--as', 'spec'];
    await pesapost(env, 'webhook', 'set', '--url', `http://127.0.0.1:${port}/`, ...of, ...why);
    return endpoint;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A webhook that is owed. The worker that sends it dies; the next one sends it, a second time if it was sent. */
export class WebhookFlow extends CollectionFlow implements CrashFlow {
  constructor(
    service: Service,
    records: RecordsUnderTest,
    private readonly endpoint: WebhookEndpoint,
  ) {
    super(service, records, 'webhook');
  }

  async learn(): Promise<Passing[]> {
    const reference = await this.owed();
    const worker = await this.service.startReplica('worker', trace);
    const told = () => Promise.resolve(this.endpoint.told.has(reference));
    await eventually(told, Boolean);
    await callsReturned(worker);
    const others = /^(?!.*(webhooks-lease|webhook:send|webhooks-record))/;
    const learned = firstSince(passingsOf(worker), 'postgres:webhooks-lease:before', others);
    worker.signal('SIGTERM');
    await worker.ended;
    return learned;
  }

  async crash(at: Passing): Promise<void> {
    await this.owed();
    await dieAt(this.service, { app: 'worker', at });
    await this.records.endLeases();
  }

  private async owed(): Promise<string> {
    const reference = await this.collect('254712345678');
    await eventually(() => this.records.isWebhookOwed(reference), Boolean);
    return reference;
  }
}
