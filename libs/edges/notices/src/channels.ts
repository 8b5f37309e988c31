import { type Notice } from '#records/operations';
import { type Channel, deadlineMs } from './channel.js';
import { MailServer } from './mail-server.js';
import { type FindContact, MerchantMailChannel } from './merchant-mail.js';

/** Settings that this module needs. The app provides them under this class. */
export class NoticeOptions {
  constructor(
    readonly channels: {
      /** NOTIFY_URL. */
      readonly url: string | undefined;
      /** SMTP_URL: the server, and in its query `from` and `to`. */
      readonly mail: string | undefined;
    },
    /** PORTAL_URL; undefined if there is no portal. */
    readonly portalUrl: string | undefined,
  ) {}

  /** True if operators get notices. */
  get tellsOperators(): boolean {
    const { url, mail } = this.channels;
    return url !== undefined || mail !== undefined;
  }
}

/** Returns the channels in the settings. A mail server also serves the merchants' own people. */
export function channelsOf(
  { channels, portalUrl }: NoticeOptions,
  findContact: FindContact,
): readonly Channel[] {
  const { url, mail } = channels;
  const server = mail === undefined ? undefined : new MailServer(mail);
  return [
    ...(url === undefined ? [] : [new UrlChannel(url, portalUrl)]),
    ...(server === undefined
      ? []
      : [
          new MailChannel(server, portalUrl),
          new MerchantMailChannel(server, findContact, portalUrl),
        ]),
  ];
}

const kinds = {
  review: 'A review',
  correction: 'A correction',
  role: 'A role',
  proposal: 'A change',
  request: 'A request of a merchant',
  break_glass: 'BREAK-GLASS: a new admin',
  endpoint: 'A webhook endpoint',
  credential: 'A credential',
} as const;

/** The command that lists the waiting items, if there is no portal. */
const lists = {
  review: 'review list',
  correction: 'correction list',
  role: 'role list',
  proposal: 'pending list',
} as const;

/** Says in one sentence what happened and where to go. */
export function sentence(notice: Notice, portalUrl?: string): string {
  const { kind, name, mode, about } = notice;
  const what = `${kinds[kind]}, ${name}${mode === undefined ? '' : ` (${mode})`},`;
  if (kind === 'break_glass') {
    if (about === 'over') return `${what} was stopped or has taken effect: npx pesapost role list`;
    const stop =
      portalUrl === undefined
        ? 'npx pesapost role break-glass stop'
        : `${portalUrl}/portal/break-glass`;
    return `${what} takes effect in 24 hours, unless an admin stops it. If you do not know why, call an admin now: ${stop}`;
  }
  if (kind === 'endpoint') return endpointSentence(what, about, portalUrl);
  if (kind === 'credential') return credentialSentence(what, notice, portalUrl);
  if (about === 'over')
    return `${what} no longer needs approval: it was decided, replaced, or has expired.`;
  // Only the portal takes requests, so there is one.
  if (kind === 'request') return `${what} waits for an admin: ${portalUrl ?? ''}/portal/waiting`;
  const where =
    portalUrl === undefined ? `npx pesapost ${lists[kind]}` : `${portalUrl}/portal/waiting`;
  return `${what} needs approval by a second person: ${where}`;
}

function endpointSentence(what: string, about: Notice['about'], portalUrl?: string): string {
  if (about === 'over') return `${what} no longer fails: it answers, was changed, or is disabled.`;
  const where =
    portalUrl === undefined
      ? 'npx pesapost webhook deliveries --failing'
      : `${portalUrl}/portal/status#webhooks`;
  return `${what} does not accept webhooks: ${where}`;
}

function credentialSentence(what: string, { endpoint, mode }: Notice, portalUrl?: string): string {
  const merchant = encodeURIComponent(endpoint?.merchantId ?? '');
  const where =
    portalUrl === undefined
      ? `npx pesapost credential list --merchant ${merchant}`
      : `${portalUrl}/portal/merchants/${merchant}/${mode ?? 'live'}/keys`;
  return `${what} stops working soon. Ask the merchant to replace it, or give it a later end: ${where}`;
}

/** The type of a message, and the verb of a mail's subject. */
const wordsOf = {
  waiting: {
    asked: { type: 'waiting.asked', verb: 'waits' },
    over: { type: 'waiting.over', verb: 'is closed' },
  },
  endpoint: {
    asked: { type: 'endpoint.failing', verb: 'fails' },
    over: { type: 'endpoint.recovered', verb: 'no longer fails' },
  },
} as const;

/** A reminder is never over. */
const reminder = { type: 'credential.ending', verb: 'ends soon' } as const;

function wordsFor({ kind, about }: Notice) {
  if (kind === 'credential') return reminder;
  return wordsOf[kind === 'endpoint' ? kind : 'waiting'][about];
}

/** Posts JSON with a `text`, which the usual chat services show unchanged. */
class UrlChannel implements Channel {
  readonly name = 'url';

  constructor(
    private readonly url: string,
    private readonly portalUrl: string | undefined,
  ) {}

  async send(notice: Notice): Promise<void> {
    const { kind, id, name, mode = null } = notice;
    const response = await fetch(this.url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        text: sentence(notice, this.portalUrl),
        type: wordsFor(notice).type,
        kind,
        id,
        name,
        mode,
      }),
      signal: AbortSignal.timeout(deadlineMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`status ${response.status}`);
  }

  close(): void {
    // There is nothing to close: each request ends by itself.
  }
}

/** Mails the operators in the settings. */
class MailChannel implements Channel {
  readonly name = 'mail';

  constructor(
    private readonly server: MailServer,
    private readonly portalUrl: string | undefined,
  ) {}

  async send(notice: Notice): Promise<void> {
    const text = sentence(notice, this.portalUrl);
    const subject = `${kinds[notice.kind]} ${wordsFor(notice).verb}: ${notice.name}`;
    await this.server.send({ to: this.server.operators, subject, text });
  }

  close(): void {
    this.server.close();
  }
}
