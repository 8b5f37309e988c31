/** The interface that all streaming calls of the server share. */
export interface EndableCall {
  once(event: 'cancelled' | 'close', listener: () => void): unknown;
}

/** The open streaming calls, so that a shutdown can end each with a suitable status. */
export class ActiveCalls {
  readonly #calls = new Map<EndableCall, () => void>();
  #closing = false;

  /** `end` ends the call with its status when the server stops. If the server is stopping, it runs at once. */
  add(call: EndableCall, end: () => void): void {
    if (this.#closing) {
      end();
      return;
    }
    this.#calls.set(call, end);
    const forget = () => {
      this.forget(call);
    };
    call.once('cancelled', forget);
    call.once('close', forget);
  }

  /** For a call that was answered but may stay open, because its client has not finished sending. */
  forget(call: EndableCall): void {
    this.#calls.delete(call);
  }

  endAll(): void {
    this.#closing = true;
    for (const end of this.#calls.values()) end();
    this.#calls.clear();
  }
}
