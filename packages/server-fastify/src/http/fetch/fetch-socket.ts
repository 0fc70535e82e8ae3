import { EventEmitter } from 'node:events';

/** The address of a caller that the adapter did not name. */
export const unknownAddress = '';

/** What the server and its plugins read of the connection of a request to `server.fetch`. */
export class FetchSocket extends EventEmitter {
  /** The IP address of the caller, or {@link unknownAddress}. */
  readonly remoteAddress: string;
  /** Whether the request came by HTTPS. */
  readonly encrypted: boolean;
  destroyed = false;

  constructor(remoteAddress: string, encrypted: boolean) {
    super();
    this.remoteAddress = remoteAddress;
    this.encrypted = encrypted;
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.emit('close');
    return this;
  }
}
