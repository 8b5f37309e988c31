import streams from '@eventstore/db-client/generated/streams_pb.js';

interface ProposedMessage {
  setData(value: Uint8Array | string): unknown;
}

/**
 * The client hands an event's JSON to its generated message as base64 text, which google-protobuf then decodes in
 * JavaScript, twice per event: more than half of an appending process's time. Given bytes it copies them. The
 * wire is the same to the byte (see message-bytes.spec.ts).
 */
export function handOverBytes(): void {
  const { prototype } = streams.BatchAppendReq.ProposedMessage as unknown as {
    prototype: ProposedMessage & { takesBytes?: true };
  };
  if (prototype.takesBytes) return;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its message below
  const { setData } = prototype;
  prototype.setData = function (this: ProposedMessage, value) {
    const bytes = typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
    return setData.call(this, bytes);
  };
  prototype.takesBytes = true;
}
