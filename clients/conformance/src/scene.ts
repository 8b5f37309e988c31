import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { keys, ScriptedService } from '../../../libs/sdk/test/scripted-service.js';
import { Driver, DriverError, type Json, languages } from './driver.js';

/** Options of a call, as the drivers' README lists them. */
type CallOptions = Readonly<Record<string, string | number>>;

export interface Client {
  call(method: string, words?: readonly unknown[], options?: CallOptions): Promise<Json>;
  /** Returns the facts of the call's failure. @throws Error if it does not fail */
  failure(method: string, words?: readonly unknown[], options?: CallOptions): Promise<Json>;
}

let made = 0;

/** Makes a client in the driver. */
export async function clientOf(driver: Driver, options: Json): Promise<Client> {
  made += 1;
  const client = `client-${made}`;
  await driver.request('client', { client, ...options });
  const call: Client['call'] = (method, words = [], more = {}) =>
    driver.request('call', { client, method, arguments: words, ...more });
  return { call, failure: (...words) => factsOf(call(...words)) };
}

/** Returns the facts of a failure. @throws Error if there is none */
export async function factsOf(request: Promise<Json>): Promise<Json> {
  const outcome: unknown = await request.catch((error: unknown) => error);
  if (outcome instanceof DriverError) return outcome.facts;
  throw new Error(`no failure: ${JSON.stringify(outcome)}`);
}

/** A driver, and a service with scripted answers. */
export class Scene {
  service!: ScriptedService;
  driver!: Driver;

  /** Returns a client of the scripted service with quick retries. */
  client(options: Json = {}): Promise<Client> {
    return clientOf(this.driver, {
      base_url: this.service.url,
      client_id: 'client-1',
      client_secret: 'secret-1',
      private_key_pem: keys.private_key_pem,
      timeout_ms: 60_000,
      retries: { base_delay_ms: 1 },
      ...options,
    });
  }
}

/** Runs the tests once for each client, each test with a new scripted service. */
export function describeEachClient(tests: (scene: Scene) => void): void {
  describe.each(languages)('$name', (language) => {
    const scene = new Scene();
    beforeAll(() => {
      scene.driver = new Driver(language);
    });
    afterAll(() => scene.driver.stop());
    beforeEach(async () => {
      scene.service = await ScriptedService.start();
    });
    afterEach(() => scene.service.stop());
    tests(scene);
  });
}
