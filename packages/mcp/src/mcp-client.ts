import { AbortedError, ConfigurationError, TimeLimitError } from '@halyard/contracts';
import type { McpServer, McpTool, McpTransport } from '@halyard/core/server';
import type { CallToolResult, Client, Tool as ToolOfServer, Transport } from '@modelcontextprotocol/client';
import { checkId } from './check-id.ts';
import { McpServerUnavailableError } from './errors.ts';

interface CommonOptions {
  /** `^[A-Za-z0-9_.-]{1,64}$`. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Limit for connecting; default 10 000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Limit for a reply of the server; default 60 000. A tool call is also limited by the time limit
   * of its tool.
   */
  readonly requestTimeoutMs?: number | undefined;
}

/** Headers by name. */
export type McpHeaders = Readonly<Record<string, string>>;

/** A request that needs its headers. */
export interface McpHeadersRequest {
  /** Aborts when the request is cancelled or has taken too long. */
  readonly signal: AbortSignal | undefined;
}

interface HttpOptions {
  /** A server with the transport streamable HTTP. */
  readonly url: string | URL;
  /**
   * Sent with each request, for example credentials. A function is called for each request, for
   * credentials that change. Its signal aborts with the request.
   */
  readonly headers?: McpHeaders | ((request: McpHeadersRequest) => McpHeaders | Promise<McpHeaders>) | undefined;
  readonly command?: undefined;
}

interface StdioOptions {
  /**
   * A program that uses the protocol on its standard input and output. Its standard error is that
   * of this process.
   */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the variables that are safe to inherit, such as PATH and HOME. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: undefined;
}

export type McpClientOptions = CommonOptions & (HttpOptions | StdioOptions);

const defaults = { connectTimeoutMs: 10_000, requestTimeoutMs: 60_000 };

/**
 * An outside MCP server: at a `url`, or as a program that `command` starts.
 *
 * Connects on first use. After a broken connection, the end of the program or an expired session,
 * the next use connects again. A call that is running then fails, since it may have had an effect.
 * A call that the server refuses because it has ended the session is sent once more in a new
 * session.
 *
 * @throws ConfigurationError for an invalid id or URL, and without `url` and `command`.
 */
export function mcpClient(options: McpClientOptions): McpClient {
  return new McpClient(options);
}

/** Created by {@link mcpClient}. */
export class McpClient implements McpServer {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly transport: McpTransport;
  declare readonly url?: string;
  readonly workflows: McpServer['workflows'] = [];
  readonly #options: McpClientOptions;
  readonly #connectTimeoutMs: number;
  readonly #requestTimeoutMs: number;
  #connection: Promise<Client> | undefined;
  #version: string | null = null;

  constructor(options: McpClientOptions) {
    const { command, id, url } = options;
    checkId('MCP server', id);
    if ([url, command].every((place) => place === undefined))
      throw new ConfigurationError(`MCP client "${id}" needs a \`url\` or a \`command\``);
    this.id = id;
    this.name = options.name ?? id;
    this.description = options.description ?? '';
    this.transport = options.url === undefined ? 'stdio' : 'streamable-http';
    if (options.url !== undefined) {
      const { origin, pathname } = urlOf(options.id, options.url);
      this.url = `${origin}${pathname}`;
    }
    const headers: unknown = options.url === undefined ? undefined : options.headers;
    if (headers !== undefined && typeof headers !== 'function' && !isTexts(headers))
      throw new ConfigurationError(`\`headers\` of MCP client "${id}" must be an object of texts, or a function`);
    this.#options = options;
    this.#connectTimeoutMs = options.connectTimeoutMs ?? defaults.connectTimeoutMs;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? defaults.requestTimeoutMs;
  }

  get version(): string | null {
    return this.#version;
  }

  /** Where the server is expected, for errors: `at http://…` or `with the command "…"`. */
  get place(): string {
    return this.url === undefined ? `with the command "${this.#options.command}"` : `at ${this.url}`;
  }

  /** @throws McpServerUnavailableError, TimeLimitError, AbortedError */
  async listTools(signal?: AbortSignal): Promise<readonly McpTool[]> {
    const list = (): Promise<readonly ToolOfServer[]> =>
      this.#ask('tools/list', signal, async (client, options) => (await client.listTools(undefined, options)).tools);
    // Listing can be repeated: a connection that broke since the last use does not fail this one.
    const tools = await list().catch((error: unknown) => {
      if (!(error instanceof McpServerUnavailableError)) throw error;
      return list();
    });
    return tools.map(({ description = '', inputSchema, name, outputSchema }) => ({
      name,
      description,
      inputSchema,
      outputSchema: outputSchema ?? null,
    }));
  }

  /**
   * Calls a tool once.
   *
   * @throws McpServerUnavailableError, TimeLimitError, AbortedError, and a ProtocolError for an
   * invalid call.
   */
  async callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<CallToolResult> {
    return this.#ask(`tool "${name}"`, signal, (client, options) =>
      client.callTool({ name, arguments: { ...input } }, options),
    );
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    const client = await connection?.catch(() => undefined);
    await client?.close();
  }

  async #ask<Answer>(
    what: string,
    signal: AbortSignal | undefined,
    act: (client: Client, options: { timeout: number; signal?: AbortSignal }) => Promise<Answer>,
    isRepeated = false,
  ): Promise<Answer> {
    refuseAborted(signal);
    const connection = (this.#connection ??= this.#connect());
    const client = await this.#connected(connection);
    const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client');
    try {
      return await act(client, { timeout: this.#requestTimeoutMs, ...(signal !== undefined && { signal }) });
    } catch (error) {
      refuseAborted(signal);
      if (error instanceof ProtocolError) throw error;
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
        throw new TimeLimitError(`MCP server "${this.id}", ${what},`, this.#requestTimeoutMs);
      // An error of the transport: the connection broke, or the server has ended the session.
      const hadSession = hasSession(client);
      await this.#drop(connection, client);
      // The server has refused the session, so it has run nothing: the protocol has the client
      // begin a new one.
      if (!isRepeated && hadSession && error instanceof SdkHttpError && error.status === 404)
        return this.#ask(what, signal, act, true);
      throw new McpServerUnavailableError(this.id, { cause: error });
    }
  }

  async #connected(connection: Promise<Client>): Promise<Client> {
    try {
      return await connection;
    } catch (error) {
      if (this.#connection === connection) this.#connection = undefined;
      throw new McpServerUnavailableError(this.id, { cause: error });
    }
  }

  async #drop(connection: Promise<Client>, client: Client): Promise<void> {
    if (this.#connection === connection) this.#connection = undefined;
    await client.close().catch(() => {});
  }

  async #connect(): Promise<Client> {
    const { Client } = await import('@modelcontextprotocol/client');
    // Also connects to servers with versions before 2026-07-28.
    const client = new Client({ name: 'halyard', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(await openTransport(this.#options), { timeout: this.#connectTimeoutMs });
    const connection = this.#connection;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- not an event target
    client.onclose = () => {
      if (this.#connection === connection) this.#connection = undefined;
    };
    this.#version = client.getServerVersion()?.version ?? null;
    return client;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AbortedError({ cause: signal.reason });
}

function isTexts(headers: unknown): boolean {
  return (
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((value) => typeof value === 'string')
  );
}

function hasSession({ transport }: Client): boolean {
  return transport?.sessionId !== undefined;
}

function urlOf(id: string, url: string | URL): URL {
  const parsed = URL.parse(String(url));
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new ConfigurationError(`The url of MCP server "${id}" must be an http or https URL`);
  return parsed;
}

async function openTransport(options: McpClientOptions): Promise<Transport> {
  if (options.url !== undefined) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { headers = {}, id, url } = options;
    if (typeof headers !== 'function')
      return new StreamableHTTPClientTransport(urlOf(id, url), { requestInit: { headers } });
    const fetchWithHeaders = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
      const all = new Headers(await headers({ signal: init.signal ?? undefined }));
      // The headers of the protocol win.
      for (const [name, value] of new Headers(init.headers)) all.set(name, value);
      return fetch(input, { ...init, headers: all });
    };
    return new StreamableHTTPClientTransport(urlOf(id, url), { fetch: fetchWithHeaders });
  }
  const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const { args = [], command, cwd, env = {} } = options;
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    ...(cwd !== undefined && { cwd }),
  });
}
