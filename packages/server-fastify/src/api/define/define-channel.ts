import type { Static, TSchema } from '@sinclair/typebox';
import type { Caller } from '../../access/identity.ts';
import type { Tier } from '../../access/tier.ts';
import type { Services } from '../services.ts';

/** The connection of one client to a channel. Messages are text; a binary message gets an error. */
export interface Connection {
  /**
   * Sends a text, or queues it behind earlier ones.
   *
   * @returns false if the connection is closed or closing, or is closed now (1013) because the
   * client does not read.
   */
  send(text: string): boolean;
  /** How many bytes were sent but not yet taken by the network. */
  readonly bufferedBytes: number;
  /**
   * Replaces the previous listener. An error of the listener is logged and closes the connection
   * (1011).
   */
  onMessage(listener: (text: string) => void): void;
  /**
   * Calls the listener once when either side closes, or at once if the connection is closed
   * already.
   */
  onClose(listener: () => void): void;
  close(code: number, reason: string): void;
}

/** The request that opened a connection, and the services of the server. */
export interface ChannelCall<Query extends TSchema> {
  readonly caller: Caller;
  readonly query: Static<Query>;
  readonly services: Services;
  /** Reads a list when few others of the caller are being read. Fails when the connection closes. */
  readonly readList: <Result>(read: () => Promise<Result>) => Promise<Result>;
}

export interface ChannelDefinition<Query extends TSchema> {
  /** Fastify's pattern: `/ws/logs`. */
  readonly url: string;
  readonly tier: Tier;
  /** As of an endpoint. */
  readonly isScoped?: true;
  /** An invalid query is refused with 400 before the upgrade. */
  readonly query?: Query;
  /** An error is logged and closes the connection (1011). */
  readonly open: (connection: Connection, call: ChannelCall<Query>) => void;
}

/** A WebSocket endpoint. */
export interface Channel {
  readonly url: string;
  readonly tier: Tier;
  readonly isScoped?: true;
  readonly query?: TSchema;
  readonly open: (connection: Connection, call: ChannelCall<TSchema>) => void;
}

/**
 * Defines a channel, as `defineRoute` does for routes. `api/channels/index.ts` lists all channels.
 */
export function defineChannel<Query extends TSchema>(definition: ChannelDefinition<Query>): Channel {
  // The query was validated against the schema of this definition.
  return { ...definition, open: definition.open as Channel['open'] };
}
