import { isThisMachine } from '#infra/runtime';
import { type Transporter } from 'nodemailer';
import { deadlineMs } from './channel.js';

interface Mail {
  /** One address, or several with commas if they come from the settings. */
  readonly to: string | { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
}

/** The server in SMTP_URL, with the sender and the operators' addresses in its query. */
export class MailServer {
  /** The operators' addresses. */
  readonly operators: string;
  readonly #server: URL;
  readonly #from: string;
  #opening: Promise<Transporter> | undefined;

  constructor(url: string) {
    this.#server = new URL(url);
    const { searchParams } = this.#server;
    this.#from = searchParams.get('from') ?? '';
    this.operators = searchParams.get('to') ?? '';
  }

  /** @throws Error if it was not accepted */
  async send({ to, subject, text }: Mail): Promise<void> {
    const transport = await (this.#opening ??= this.#open());
    // No program answers such a mail.
    const headers = { 'Auto-Submitted': 'auto-generated' };
    await transport.sendMail({ from: this.#from, to, subject, text: `${text}\n`, headers });
  }

  /** Loaded with the first message, because most workers never send one. */
  async #open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    const { protocol, hostname, port, username, password } = this.#server;
    return createTransport({
      host: hostname.replace(/^\[|\]$/g, ''),
      ...(port !== '' && { port: Number(port) }),
      secure: protocol === 'smtps:',
      // Passwords, and the names of people who decide, must be encrypted on the wire.
      requireTLS: protocol === 'smtp:' && !isThisMachine(hostname),
      ...(username !== '' && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      }),
      connectionTimeout: deadlineMs,
      greetingTimeout: deadlineMs,
      socketTimeout: deadlineMs,
    });
  }

  close(): void {
    void this.#opening?.then((transport) => {
      transport.close();
    });
  }
}
