import { AbortedError, TimeLimitError } from '@halyard/contracts';
import { finishesWithin } from '@halyard/core/server';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { McpServerUnavailableError } from './errors.ts';

export interface McpConnectionOptions {
  readonly serverId: string;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  openTransport(): Promise<Transport>;
  /** Called after each connect with the version that the server reports. */
  onConnect(version: string | null): void;
}

/** How long a server may take to end a session before the connection is closed without its reply. */
const endSessionMs = 2000;

/**
 * A connection to an outside server, with at most one session. Connects on first use, and again
 * after the connection broke.
 */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  #connecting: Promise<Client> | undefined;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
  }

  /**
   * @param what names the request in errors: `tool "add"`.
   * @throws McpServerUnavailableError, TimeLimitError, AbortedError, and a ProtocolError for an
   * invalid request.
   */
  async ask<Answer>(
    what: string,
    signal: AbortSignal | undefined,
    act: (client: Client, options: { timeout: number; signal?: AbortSignal }) => Promise<Answer>,
    isRepeated = false,
  ): Promise<Answer> {
    refuseAborted(signal);
    const { requestTimeoutMs, serverId } = this.#options;
    const connecting = (this.#connecting ??= this.#connect());
    const client = await this.#connected(connecting);
    const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client');
    try {
      return await act(client, { timeout: requestTimeoutMs, ...(signal !== undefined && { signal }) });
    } catch (error) {
      refuseAborted(signal);
      if (error instanceof ProtocolError) throw error;
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
        throw new TimeLimitError(`MCP server "${serverId}", ${what},`, requestTimeoutMs);
      // An error of the transport: the connection broke, or the server has ended the session.
      const hadSession = hasSession(client);
      await this.#drop(connecting, client);
      // The server has refused the session, so it has run nothing: the protocol has the client
      // begin a new one.
      if (!isRepeated && hadSession && error instanceof SdkHttpError && error.status === 404)
        return this.ask(what, signal, act, true);
      throw new McpServerUnavailableError(serverId, { cause: error });
    }
  }

  /** Ends the session. The next use connects again. */
  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    const client = await connecting?.catch(() => undefined);
    if (client === undefined) return;
    await endSession(client);
    await client.close();
  }

  async #connected(connecting: Promise<Client>): Promise<Client> {
    try {
      return await connecting;
    } catch (error) {
      if (this.#connecting === connecting) this.#connecting = undefined;
      throw new McpServerUnavailableError(this.#options.serverId, { cause: error });
    }
  }

  async #drop(connecting: Promise<Client>, client: Client): Promise<void> {
    if (this.#connecting === connecting) this.#connecting = undefined;
    await client.close().catch(() => {});
  }

  async #connect(): Promise<Client> {
    const options = this.#options;
    const { Client } = await import('@modelcontextprotocol/client');
    // Also connects to servers with versions before 2026-07-28.
    const client = new Client({ name: 'halyard', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(await options.openTransport(), { timeout: options.connectTimeoutMs });
    const connecting = this.#connecting;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- not an event target
    client.onclose = () => {
      if (this.#connecting === connecting) this.#connecting = undefined;
    };
    options.onConnect(client.getServerVersion()?.version ?? null);
    return client;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AbortedError({ cause: signal.reason });
}

function hasSession({ transport }: Client): boolean {
  return transport?.sessionId !== undefined;
}

/** Servers keep sessions until clients end them. A server that fails here ends it by itself. */
async function endSession({ transport }: Client): Promise<void> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const ending = transport.terminateSession().catch(() => {});
  await finishesWithin(ending, endSessionMs);
}
