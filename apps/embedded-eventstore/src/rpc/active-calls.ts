import { type StatusObject } from '@grpc/grpc-js';
import { shuttingDownReads } from './errors.js';

/** The interface that all streaming calls of the server share. */
export interface EndableCall {
  emit(event: 'error', status: StatusObject): boolean;
  once(event: 'cancelled' | 'close', listener: () => void): unknown;
}

/** The open streaming calls, so that a shutdown can end each with a suitable status. */
export class ActiveCalls {
  readonly #calls = new Map<EndableCall, () => StatusObject>();
  #closing = false;

  /** `onShutdown`: the status with which the call ends when the server stops. */
  add(call: EndableCall, onShutdown: () => StatusObject = shuttingDownReads): void {
    if (this.#closing) {
      call.emit('error', onShutdown());
      return;
    }
    this.#calls.set(call, onShutdown);
    const forget = () => this.#calls.delete(call);
    call.once('cancelled', forget);
    call.once('close', forget);
  }

  endAll(): void {
    this.#closing = true;
    for (const [call, onShutdown] of this.#calls) call.emit('error', onShutdown());
    this.#calls.clear();
  }
}
