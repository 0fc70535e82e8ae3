import { ConfigurationError } from '@halyard/contracts';
import type { AccessLevel, Agent, Tool } from '@halyard/core';
import type {
  McpExchange,
  McpServer,
  McpTool,
  McpToolKind,
  McpTransport,
  WorkflowDefinition,
} from '@halyard/core/server';
import { checkId } from './check-id.ts';
import { progressTo } from './progress.ts';
import { replyToCall } from './reply-to-call.ts';
import { type ServedTool, serveAgent, serveTool, serveWorkflow } from './served-tool.ts';

export interface McpServerOptions {
  /** `^[A-Za-z0-9_.-]{1,64}$`. A Halyard server serves it at `/mcp/<id>`. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string | undefined;
  /** Version of the app, such as `1.4.0`. */
  readonly version: string;
  /** Sent to clients as the instructions of the server. */
  readonly description?: string | undefined;
  /** Each is a tool `ask_<id>` that takes a `task`. */
  readonly agents?: readonly Agent[] | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Each is a tool `run_<id>` that takes the workflow's input. The Halyard server must have the
   * workflow too.
   */
  readonly workflows?: readonly WorkflowDefinition[] | undefined;
}

/**
 * An MCP server with agents, tools and workflows of this app. Pass it to `createServer` as one of
 * `mcpServers`.
 *
 * Uses streamable HTTP without sessions, in the protocol's version 2026-07-28 and earlier versions
 * with this transport.
 *
 * @throws ConfigurationError for an invalid id, two tools of one name, and tools that the client
 * runs.
 */
export function mcpServer(options: McpServerOptions): McpServer {
  return new ServedMcpServer(options);
}

class ServedMcpServer implements McpServer {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly transport: McpTransport = 'streamable-http';
  readonly workflows: readonly WorkflowDefinition[];
  readonly #tools: ReadonlyMap<string, ServedTool>;

  constructor(options: McpServerOptions) {
    const { agents = [], description = '', id, name = id, tools = [], version, workflows = [] } = options;
    checkId('MCP server', id);
    this.id = id;
    this.name = name;
    this.version = version;
    this.description = description;
    this.workflows = workflows;
    this.#tools = byName(id, [...agents.map(serveAgent), ...tools.map(serveTool), ...workflows.map(serveWorkflow)]);
  }

  async listTools(): Promise<readonly McpTool[]> {
    return listed(this.#tools).map(({ tool }) => tool);
  }

  kindOf(toolName: string): McpToolKind | undefined {
    return this.#tools.get(toolName)?.kind;
  }

  accessOf(toolName: string): AccessLevel | undefined {
    return this.#tools.get(toolName)?.access;
  }

  async handle(exchange: McpExchange): Promise<Response> {
    const { createMcpHandler, Server } = await import('@modelcontextprotocol/server');
    const { body, isOperator = false, request, services } = exchange;
    const tools = reachableTools(this.#tools, isOperator);
    const repeated = repeatedId(body);
    if (repeated !== undefined)
      return invalidBatch(`two requests of the batch have the id ${JSON.stringify(repeated)}`);
    // A request with many calls, as earlier versions of the protocol allow it, does as much at the
    // same time as one with a single call.
    const inTurn = oneAfterAnother();
    const serve = (): InstanceType<typeof Server> => {
      const server = new Server(
        { name: this.name, version: this.version },
        { capabilities: { tools: {} }, ...(this.description !== '' && { instructions: this.description }) },
      );
      server.setRequestHandler('tools/list', () => ({ tools: listed(tools).map(toListed) }));
      server.setRequestHandler('tools/call', ({ params }, { mcpReq: { _meta: meta, notify, signal } }) =>
        inTurn(async () => {
          // Nothing starts for a client that has left.
          signal.throwIfAborted();
          const token = meta?.progressToken;
          const progress = token === undefined ? undefined : progressTo(token, notify);
          return replyToCall(tools, params, { ...exchange, signal, progress });
        }),
      );
      return server;
    };
    // The tools never change: there is nothing to subscribe to.
    const handler = createMcpHandler(serve, {
      maxSubscriptions: 0,
      onerror: (error) => services.logger.debug({ err: error, mcpServerId: this.id }, 'an MCP request was refused'),
    });
    return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  }

  async close(): Promise<void> {
    // There is no state between requests.
  }
}

function listed(tools: ReadonlyMap<string, ServedTool>): readonly ServedTool[] {
  return [...tools.values()].filter(({ isListed }) => isListed);
}

/** Leaves out the tools that the caller cannot reach, so that they are unknown to it. */
function reachableTools(tools: ReadonlyMap<string, ServedTool>, isOperator: boolean): ReadonlyMap<string, ServedTool> {
  const isReachable = ({ access }: ServedTool): boolean => access === 'users' || (access === 'operators' && isOperator);
  return new Map([...tools].filter(([, tool]) => isReachable(tool)));
}

/** Runs each piece of work when the one before has ended. */
function oneAfterAnother(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const current = last.then(work, work);
    last = current;
    return current;
  };
}

/** An id that two requests of a batch have: only one of them would get a reply. */
function repeatedId(body: unknown): unknown {
  if (!Array.isArray(body)) return undefined;
  const ids = new Set<unknown>();
  for (const message of body as unknown[]) {
    if (typeof message !== 'object' || message === null || !('id' in message && 'method' in message)) continue;
    if (ids.has(message.id)) return message.id;
    ids.add(message.id);
  }
  return undefined;
}

function invalidBatch(why: string): Response {
  const error = { code: -32_600, message: `Invalid Request: ${why}` };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
}

function toListed({ tool }: ServedTool) {
  const { description, inputSchema, name, outputSchema } = tool;
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    ...(outputSchema !== null && { outputSchema: { ...outputSchema, type: 'object' as const } }),
  };
}

function byName(id: string, tools: readonly ServedTool[]): ReadonlyMap<string, ServedTool> {
  const known = new Map<string, ServedTool>();
  for (const served of tools) {
    const { name } = served.tool;
    if (known.has(name)) throw new ConfigurationError(`Two tools of MCP server "${id}" are named "${name}"`);
    known.set(name, served);
  }
  return known;
}
