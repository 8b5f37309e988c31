import {
  type CollectionDetails,
  InitiateCollection,
  InitiateCollectionHandler,
  type Initiated,
  type InitiateRefusal,
  PhoneVault,
  PromptPushes,
  PushAnswers,
} from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type PhoneTraces, type Result } from '#domain/kernel';
import {
  AccountReports,
  CallbackKeys,
  CallbackReceiver,
  CallbackRecords,
  DirectConfirmations,
  type IncomingCallback,
  NamedPushes,
  type Reception,
} from '#edges/rails';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { collectionBus } from './bus.js';
import { SimulatedReferenceView } from '../servers/record-ports.js';
import { type Fixture, keyring, type Parts } from './parts.js';
import { PayoutProcess } from './payouts.js';

class SimulatedPhones extends PhoneVault {
  override tracesOf(phone: string): PhoneTraces {
    return { phoneHmac: `hmac of ${phone}`, phoneMasked: '2547*****000' };
  }
}

/** The API process behind its edges: collections, and the rail's callbacks. */
export class Api {
  readonly #initiate: InitiateCollectionHandler;
  readonly #callbacks: CallbackReceiver;
  readonly #keys: CallbackKeys;
  readonly #named: NamedPushes;
  readonly payouts: PayoutProcess;

  constructor(
    readonly life: Life,
    parts: Parts,
    fixture: Fixture,
  ) {
    const ids = parts.ids(life);
    const store = parts.store(life);
    const timer = new VirtualTimer(life);
    const pipeline = parts.pipeline(store, ids);
    const answers = new PushAnswers({
      pipeline,
      timer,
      onLost: (stream) => {
        life.world.tell(() => `${life.name} gives up recording the rail's answer for ${stream}`);
      },
    });
    const phones = new SimulatedPhones();
    const pushes = new PromptPushes(parts.rail(life), new VirtualClock(life));
    this.#initiate = new InitiateCollectionHandler(pipeline, pushes, phones, answers);
    const bus = collectionBus(parts, pipeline);
    this.payouts = new PayoutProcess(life, parts, fixture);
    this.#keys = new CallbackKeys(keyring, ids, parts.rails());
    this.#named = new NamedPushes(this.#keys, new SimulatedReferenceView(life, fixture.views));
    this.#callbacks = new CallbackReceiver(
      new DirectConfirmations(bus, this.payouts.client, timer),
      this.#keys,
      new CallbackRecords(
        parts.messages(life),
        parts.inbox(life),
        parts.claimedReferences(life),
        timer,
      ),
      // The simulated rail is not asked for its balance.
      new AccountReports(this.payouts.floats, undefined as never),
    );
  }

  /** @throws DependencyUnavailable, which the edge answers with 503 */
  create(
    details: CollectionDetails,
    correlationId: string,
  ): Promise<Result<Initiated, InitiateRefusal>> {
    const metadata: CommandMetadata = {
      correlationId,
      actor: { kind: 'credential', id: 'credential-1' },
      commitment: 'c'.repeat(64),
    };
    return this.#initiate.execute(new InitiateCollection(details, metadata));
  }

  receive(callback: IncomingCallback): Promise<Reception> {
    return this.#callbacks.receive(callback);
  }

  /**
   * Receives a callback at the address that a rail has for all pushes, as its controller does.
   * @throws DependencyUnavailable, which the edge answers with 503
   */
  async receiveShared(callback: IncomingCallback): Promise<Reception> {
    const reading = this.#keys.readToken(callback.token);
    const own =
      reading.kind === 'shared' ? await this.#named.tokenFor(reading, callback.bytes) : undefined;
    return this.receive(own === undefined ? callback : { ...callback, token: own });
  }
}
