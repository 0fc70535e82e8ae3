import type { Static, TSchema } from '@sinclair/typebox';
import type { Caller } from '../access/caller.ts';
import type { Tier } from './define-route.ts';
import type { Services } from './services.ts';

/** One client at a channel. Messages are texts: binary ones are answered with an error and reach nobody. */
export interface Connection {
  /**
   * Sends a text, at once or when the client has read what was sent before.
   *
   * @returns false when it was not sent: the connection is closed or closing, or is closed now (1013) because the client does not read.
   */
  send(text: string): boolean;
  /** What was sent and not yet taken by the client's side, in bytes: who can wait, waits while there is much. */
  readonly bufferedBytes: number;
  /** Who listens last listens alone. What a listener throws is logged and closes the connection (1011). */
  onMessage(listener: (text: string) => void): void;
  /** Called once, whoever closed; at once where the connection is closed already. */
  onClose(listener: () => void): void;
  close(code: number, reason: string): void;
}

/** With whom, and about what, a connection was opened. */
export interface ChannelCall<Query extends TSchema> {
  readonly caller: Caller;
  readonly query: Static<Query>;
  readonly services: Services;
}

export interface ChannelDefinition<Query extends TSchema> {
  /** Fastify's pattern: `/ws/logs`. */
  readonly url: string;
  readonly tier: Tier;
  /** A query that does not fit is refused with 400 before the upgrade. */
  readonly query?: Query;
  /** What is thrown is logged and closes the connection (1011). */
  readonly open: (connection: Connection, call: ChannelCall<Query>) => void;
}

/** A WebSocket endpoint. */
export interface Channel {
  readonly url: string;
  readonly tier: Tier;
  readonly query?: TSchema;
  readonly open: (connection: Connection, call: ChannelCall<TSchema>) => void;
}

/** One object a channel, as `defineRoute` for routes; `channels/index.ts` lists them. */
export function defineChannel<Query extends TSchema>(definition: ChannelDefinition<Query>): Channel {
  // The query was validated against the schema of this definition.
  return { ...definition, open: definition.open as Channel['open'] };
}
