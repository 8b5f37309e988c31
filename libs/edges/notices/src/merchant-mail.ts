import { type Notice } from '#records/operations';
import { type Channel } from './channel.js';
import { type MailServer } from './mail-server.js';

/** Finds the address for the failures of an endpoint; undefined if its merchant's people gave none. */
export type FindContact = (
  endpoint: NonNullable<Notice['endpoint']> & { readonly mode: Notice['mode'] },
) => Promise<string | undefined>;

/**
 * Mails a merchant's own people that their endpoint fails, that it no longer does (POR-107), and that a credential ends
 * soon.
 */
export class MerchantMailChannel implements Channel {
  readonly name = 'merchant';

  constructor(
    private readonly server: MailServer,
    private readonly find: FindContact,
    private readonly portalUrl: string | undefined,
  ) {}

  /** Sends nothing if the address was removed meanwhile. */
  async send(notice: Notice): Promise<void> {
    const { endpoint, mode } = notice;
    const address = endpoint && (await this.find({ ...endpoint, mode }));
    if (address === undefined) return;
    try {
      // As an object the address is one address, whatever it contains.
      await this.server.send({
        to: { name: '', address },
        ...merchantMail(notice, this.portalUrl),
      });
    } catch (error) {
      throw new Error(`the mail server did not accept it: ${reasonOf(error)}`);
    }
  }

  close(): void {
    // The operators' channel closes the server.
  }
}

/** The reason without the server's words, which contain the address. Log lines must not (POR-107). */
function reasonOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode === 'number') return String(responseCode);
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'unknown';
}

/** Subject and text in both languages, because the receiver's is not known. It has no URL of the merchant's. */
function merchantMail(
  notice: Notice,
  portalUrl: string | undefined,
): { readonly subject: string; readonly text: string } {
  const { kind, mode, endpoint } = notice;
  const place = kind === 'credential' ? 'keys' : 'webhooks';
  const page =
    portalUrl === undefined || endpoint === undefined || mode === undefined
      ? ''
      : `\n${portalUrl}/portal/merchants/${encodeURIComponent(endpoint.merchantId)}/${mode}/${place}\n`;
  const { subject, english, swahili } =
    kind === 'credential' ? reminderWords(notice) : endpointWords(notice);
  const why = `You get this mail because somebody entered your address on the page Webhooks. Change it there.
Unapata barua hii kwa sababu mtu aliweka anwani yako kwenye ukurasa wa Webhook. Ibadilishe hapo.`;
  return { subject, text: `${english}\n${swahili}\n${page}\n${why}` };
}

interface MailWords {
  readonly subject: string;
  readonly english: string;
  readonly swahili: string;
}

function reminderWords({ name, mode }: Notice): MailWords {
  return {
    subject: 'PesaPost: your API key ends soon',
    english: `Your API key ${name} (${mode ?? ''}) stops working then. Add a new key for the same holder, let your system use it, and revoke the old one:`,
    swahili: `Ufunguo wako wa API ${name} (${mode ?? ''}) utaacha kufanya kazi siku hiyo. Ongeza ufunguo mpya kwa mshikaji yule yule, mfumo wako uutumie, kisha ufute wa zamani:`,
  };
}

function endpointWords({ about, mode, endpoint }: Notice): MailWords {
  const version = endpoint?.kind.toUpperCase() ?? '';
  const name = `${version} (${mode ?? ''})`;
  return about === 'asked'
    ? {
        subject: `PesaPost: your webhook endpoint ${name} fails`,
        english: `Your webhook endpoint ${name} does not accept webhooks. They are tried again, with growing pauses. See the failed deliveries:`,
        swahili: `Anwani yako ya webhook ${name} haipokei webhook. Zitatumwa tena baada ya muda unaoongezeka. Angalia zilizoshindwa:`,
      }
    : {
        subject: `PesaPost: your webhook endpoint ${name} no longer fails`,
        english: `Your webhook endpoint ${name} no longer fails: it accepts webhooks again, was changed, or is disabled. You can resend those that failed:`,
        swahili: `Anwani yako ya webhook ${name} haishindwi tena: inapokea webhook, ilibadilishwa au imezimwa. Unaweza kutuma tena zilizoshindwa:`,
      };
}
