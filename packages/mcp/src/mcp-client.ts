import { ConfigurationError, type User } from '@halyard/contracts';
import type { McpServer, McpTool, McpTransport } from '@halyard/core/server';
import type { CallToolResult, Tool as ToolOfServer, Transport } from '@modelcontextprotocol/client';
import { checkId } from './check-id.ts';
import { ConnectionsByUser, type McpCaller } from './connections-by-user.ts';
import { McpServerUnavailableError } from './errors.ts';
import { McpConnection } from './mcp-connection.ts';

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
  /** The verified user of the run; undefined without one, and while the app starts. */
  readonly user: User | undefined;
  /** The user's id. Without `user`, nobody has verified it. */
  readonly userId: string | undefined;
  /** Aborts when the request is cancelled or has taken too long. */
  readonly signal: AbortSignal | undefined;
}

interface HttpOptions {
  /** A server with the transport streamable HTTP. */
  readonly url: string | URL;
  /**
   * Sent with each request, for example credentials. A function is called for each request, for
   * credentials that change or belong to the user. Each user then has connections and sessions of
   * their own.
   */
  readonly headers?: McpHeaders | ((request: McpHeadersRequest) => McpHeaders | Promise<McpHeaders>) | undefined;
  /** How long a user's connection stays open without a request; default 300 000. */
  readonly idleTimeoutMs?: number | undefined;
  /** How many users' connections stay open without a request; default 100. */
  readonly maxIdleConnections?: number | undefined;
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

const defaults = {
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 300_000,
  maxIdleConnections: 100,
};

/** A request to an outside server. */
export interface McpRequestOptions extends McpCaller {
  readonly signal?: AbortSignal | undefined;
}

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
  readonly #connections: ConnectionsByUser;
  readonly #isPerUser: boolean;
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
    this.#isPerUser = typeof headers === 'function';
    this.#connections = this.#openConnections();
  }

  get version(): string | null {
    return this.#version;
  }

  /** Where the server is expected, for errors: `at http://…` or `with the command "…"`. */
  get place(): string {
    return this.url === undefined ? `with the command "${this.#options.command}"` : `at ${this.url}`;
  }

  /** @throws McpServerUnavailableError, TimeLimitError, AbortedError */
  async listTools(options: McpRequestOptions = {}): Promise<readonly McpTool[]> {
    const list = (): Promise<readonly ToolOfServer[]> =>
      this.#use(options, (connection) =>
        connection.ask('tools/list', options.signal, async (client, request) => {
          return (await client.listTools(undefined, request)).tools;
        }),
      );
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
    options: McpRequestOptions = {},
  ): Promise<CallToolResult> {
    return this.#use(options, (connection) =>
      connection.ask(`tool "${name}"`, options.signal, (client, request) =>
        client.callTool({ name, arguments: { ...input } }, request),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  #use<Result>(
    { user, userId }: McpRequestOptions,
    act: (connection: McpConnection) => Promise<Result>,
  ): Promise<Result> {
    return this.#connections.use(this.#isPerUser ? { user, userId } : {}, act);
  }

  #openConnections(): ConnectionsByUser {
    const options = this.#options;
    const isHttp = options.url !== undefined;
    return new ConnectionsByUser({
      // A program, and a connection that all users share, stay open.
      idleTimeoutMs: this.#isPerUser && isHttp ? (options.idleTimeoutMs ?? defaults.idleTimeoutMs) : undefined,
      maxIdleConnections: (isHttp ? options.maxIdleConnections : undefined) ?? defaults.maxIdleConnections,
      create: (caller) =>
        new McpConnection({
          serverId: this.id,
          connectTimeoutMs: options.connectTimeoutMs ?? defaults.connectTimeoutMs,
          requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
          openTransport: () => openTransport(options, caller),
          onConnect: (version) => (this.#version = version),
        }),
    });
  }
}

function isTexts(headers: unknown): boolean {
  return (
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((value) => typeof value === 'string')
  );
}

function urlOf(id: string, url: string | URL): URL {
  const parsed = URL.parse(String(url));
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new ConfigurationError(`The url of MCP server "${id}" must be an http or https URL`);
  return parsed;
}

async function openTransport(options: McpClientOptions, caller: () => McpCaller): Promise<Transport> {
  if (options.url !== undefined) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { headers = {}, id, url } = options;
    if (typeof headers !== 'function')
      return new StreamableHTTPClientTransport(urlOf(id, url), { requestInit: { headers } });
    const fetchWithHeaders = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
      const { user, userId } = caller();
      const all = new Headers(await headers({ user, userId, signal: init.signal ?? undefined }));
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
