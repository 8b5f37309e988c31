import { shared, streams } from '../wire/generated.js';

type ReadResp = InstanceType<typeof streams.ReadResp>;

function reply(fill: (message: ReadResp) => void): Buffer {
  const message = new streams.ReadResp();
  fill(message);
  return Buffer.from(message.serializeBinary());
}

export function confirmation(subscriptionId: string): Buffer {
  return reply((message) => {
    const body = new streams.ReadResp.SubscriptionConfirmation();
    body.setSubscriptionId(subscriptionId);
    message.setConfirmation(body);
  });
}

export function streamNotFound(stream: Buffer): Buffer {
  return reply((message) => {
    const identifier = new shared.StreamIdentifier();
    identifier.setStreamName(new Uint8Array(stream));
    const body = new streams.ReadResp.StreamNotFound();
    body.setStreamIdentifier(identifier);
    message.setStreamNotFound(body);
  });
}

export function checkpoint(position: number): Buffer {
  return reply((message) => {
    const body = new streams.ReadResp.Checkpoint();
    body.setCommitPosition(position.toString());
    body.setPreparePosition(position.toString());
    message.setCheckpoint(body);
  });
}

export const caughtUp = reply((message) => {
  message.setCaughtUp(new streams.ReadResp.CaughtUp());
});
