import type { SpanContext, User } from '@halyard/contracts';
import type { JsonSchema } from '../schema/schema.ts';
import type { AgentServices } from '../services/agent-services.ts';
import type { WorkflowDefinition } from '../workflow/definition/workflow-definition.ts';
import type { WorkflowRuntime } from '../workflow/runtime/workflow-runtime.ts';

/** A tool as the Model Context Protocol tells of it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** Describes an object. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
}

/** How clients reach a server: over HTTP, or as a process that is told on its standard input. */
export type McpTransport = 'streamable-http' | 'stdio';

/**
 * A server of the Model Context Protocol that an app has registered: one of its own, or one that somebody else runs.
 *
 * Made by `mcpServer` and `mcpClient` of `@halyard/mcp`.
 */
export interface McpServer {
  readonly id: string;
  readonly name: string;
  /** Null of an outside server that has not been reached yet. */
  readonly version: string | null;
  readonly description: string;
  readonly transport: McpTransport;
  /** Where an outside server is, without credentials and query; absent where there is no such place, and for what is served here. */
  readonly url?: string;
  /** Workflows that it runs: the runtime of who serves it must know them. */
  readonly workflows: readonly WorkflowDefinition[];
  /** @throws UnavailableError (`MCP_SERVER_UNAVAILABLE`) for an outside server that cannot be reached. */
  listTools(signal?: AbortSignal): Promise<readonly McpTool[]>;
  /** Answers one request of the transport streamable HTTP. Absent: it is not served here. */
  handle?(exchange: McpExchange): Promise<Response>;
  /** Lets go of connections and processes. It connects anew when it is used after that. */
  close(): Promise<void>;
}

/** A request of an MCP client, and whom and what it is served with. */
export interface McpExchange {
  /** Its signal aborts when the client leaves. Its body is not read. */
  readonly request: Request;
  /** The JSON of the body; undefined without one. */
  readonly body: unknown;
  /** The verified user, when there is one. */
  readonly user: User | undefined;
  readonly userId: string | undefined;
  /** The span of another service that asked for this, by the header `traceparent`. */
  readonly traceParent: SpanContext | undefined;
  readonly services: AgentServices;
  readonly workflows: WorkflowRuntime;
}
