import { type Mode } from '#domain/kernel';
import { type WhenSilent } from '#domain/rails';
import { type Keyring } from '#shared/signing';
import { sealNoticeToken } from '../callback/callback-keys.js';
import { type NoticesRegistered, type RailAdapter } from '../rail-adapter.js';

/** A registration of our addresses at a rail, and the master key that the addresses name. */
export type Registration = NoticesRegistered & { readonly keyId: string };

/** Registers the addresses for the rails' notices (C2B-11). */
export class NoticeRails {
  readonly #byChannel: ReadonlyMap<string, RailAdapter>;

  /** @param baseUrl BASE_URL, without a trailing slash */
  constructor(
    adapters: readonly RailAdapter[],
    private readonly keyring: Keyring,
    private readonly baseUrl: string,
  ) {
    this.#byChannel = new Map(adapters.map((adapter) => [adapter.channel, adapter]));
  }

  /** Registers new addresses. Those of an earlier registration stay valid. Never rejects because of the rail. */
  async register(of: {
    readonly channel: string;
    readonly mode: Mode;
    readonly whenSilent: WhenSilent;
  }): Promise<Registration> {
    const { channel, mode, whenSilent } = of;
    const keyId = this.keyring.currentKeyId;
    const url = (purpose: Parameters<typeof sealNoticeToken>[2]): string =>
      `${this.baseUrl}/rails/c2b/${sealNoticeToken(this.keyring, of, purpose)}`;
    const adapter = this.#byChannel.get(channel);
    const registered = await adapter?.registerNotices?.(mode, {
      confirmationUrl: url('confirmation'),
      validationUrl: url('validation'),
      whenSilent,
    });
    return { ...(registered ?? { kind: 'not_configured' }), keyId };
  }
}
