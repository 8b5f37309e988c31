import { type DataDirectory } from '../data-directory/data-directory.js';
import { StartRefused } from '../refusal.js';

/** DATA_DIR/demo.json, with all that a client needs. Ids and secrets persist; the URLs are those of this start. */
export interface DemoFile {
  readonly base_url: string;
  readonly admin_url: string;
  readonly simulator_url: string;
  /** The Airtel simulator; absent if RAIL_AIRTEL_DEMO_* names another rail. */
  readonly airtel_simulator_url?: string;
  readonly merchant_id: string;
  readonly timezone: string;
  readonly v4: DemoCredential & DemoCheckoutKey & DemoWebhookSecret;
  /** The receiver of the merchant's webhooks; absent if they may not go to this machine. */
  readonly webhook_receiver_url?: string;
  /** A second holder's credential, for approvals. */
  readonly v4_checker: SigningCredential;
  /** Absent if V3's end no longer allows this merchant a credential. */
  readonly v3?: DemoV3;
  /** Absent if people sign in elsewhere. */
  readonly portal?: { readonly url: string; readonly people: readonly DemoPortalPerson[] };
}

/** A person who may sign in, and their role. */
export interface DemoPortalPerson {
  readonly login: string;
  readonly password: string;
  readonly name: string;
  readonly role: string;
  /** The person's merchant; absent for a person of the platform. */
  readonly merchant_id?: string;
}

/** The credential and key of a V4 client. */
export interface SigningCredential {
  readonly client_id: string;
  readonly client_secret: string;
  readonly private_key_pem: string;
}

export interface DemoCredential extends SigningCredential {
  readonly account_no: string;
  readonly currency: string;
}

/** The key of V4's checkout links. */
export interface DemoCheckoutKey {
  readonly checkout_key_id: string;
  readonly checkout_secret: string;
}

/** The secret that signs webhooks; absent if there is no receiver. */
export interface DemoWebhookSecret {
  readonly webhook_secret?: string;
}

/** The credential of V3's calls and checkout links. */
export interface DemoV3 {
  readonly consumer_key: string;
  readonly private_key_pem: string;
  readonly checkout_secret: string;
  readonly account_no: string;
  readonly vid: string;
}

/** The file as an earlier start left it, perhaps one that was killed. */
export type PartialDemoFile = Partial<Omit<DemoFile, 'v4'>> & { v4?: Partial<DemoFile['v4']> };

const fileName = 'demo.json';

/** @throws StartRefused if the file is there and cannot be read as JSON */
export async function readDemoFile(directory: DataDirectory): Promise<PartialDemoFile> {
  const text = await directory.read(fileName);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as PartialDemoFile;
  } catch {
    throw new StartRefused(
      `${directory.join(fileName)} is not JSON: mend it, or move it away to have another demo merchant made`,
    );
  }
}

export function writeDemoFile(directory: DataDirectory, demo: PartialDemoFile): Promise<void> {
  return directory.writeSecret(fileName, `${JSON.stringify(demo, null, 2)}\n`);
}
