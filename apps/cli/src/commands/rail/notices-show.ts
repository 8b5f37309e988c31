import { EventStore } from '#domain/event-sourcing';
import { type NoticeAddressesRegistered, noticesStream } from '#domain/rails';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';

export const noticesShow = plainCommand(
  'show',
  'lists the registrations of addresses for notices, the newest first',
  'rail notices show',
).action(async ({ json }: { readonly json?: true }) => {
  const events = await withApp((app) =>
    app.get<EventStore>(EventStore).readStream<NoticeAddressesRegistered>(noticesStream),
  );
  const registered = events.toReversed().map(({ data, recordedAt, metadata }) => ({
    at: recordedAt,
    mode: data.mode,
    short_code: data.shortCode,
    when_silent: data.whenSilent,
    key_id: data.keyId,
    by: metadata.actor.id,
  }));
  if (json) printJson({ registrations: registered });
  else if (registered.length === 0)
    printLines(['no addresses are registered: npx pesapost rail notices register --help']);
  else
    printLines(
      table(
        ['at', 'mode', 'short code', 'when silent', 'master key', 'by'],
        registered.map((each) => Object.values(each)),
      ),
    );
});
