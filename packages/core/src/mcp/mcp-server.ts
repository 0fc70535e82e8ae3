import type { SpanContext, User } from '@halyard/contracts';
import type { AgentServices } from '../agent/agent-services.ts';
import type { JsonSchema } from '../schema/schema.ts';
import type { AccessLevel } from '../tool/access-level.ts';
import type { WorkflowDefinition } from '../workflow/definition/workflow-definition.ts';
import type { WorkflowRuntime } from '../workflow/engine/workflow-runtime.ts';

/** A tool as the Model Context Protocol describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** Describes an object. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
}

/** The kind of work behind a tool of an MCP server. */
export type McpToolKind = 'agent' | 'tool' | 'workflow';

/** How clients reach a server: over HTTP, or on the standard input of its process. */
export type McpTransport = 'streamable-http' | 'stdio';

/**
 * A server of the Model Context Protocol that an app has registered: its own, or an outside server.
 *
 * Created by `mcpServer` and `mcpClient` of `@halyard/mcp`.
 */
export interface McpServer {
  readonly id: string;
  readonly name: string;
  /** Null for an outside server that has not been reached yet. */
  readonly version: string | null;
  readonly description: string;
  readonly transport: McpTransport;
  /**
   * The URL of an outside server, without credentials and query; absent for stdio, and for a server
   * of this app.
   */
  readonly url?: string;
  /** Workflows that it runs. The workflow runtime of the server must know them. */
  readonly workflows: readonly WorkflowDefinition[];
  /**
   * @throws UnavailableError (`MCP_SERVER_UNAVAILABLE`) for an outside server that cannot be
   * reached.
   */
  listTools(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly McpTool[]>;
  /**
   * The kind of work behind a tool, so that the access control of the same work applies; undefined
   * for an unknown tool. Absent for an outside server.
   */
  kindOf?(toolName: string): McpToolKind | undefined;
  /**
   * The callers that may use a tool; undefined for an unknown one. Absent: all callers of the
   * server.
   */
  accessOf?(toolName: string): AccessLevel | undefined;
  /** Handles one request of the transport streamable HTTP. Absent for an outside server. */
  handle?(exchange: McpExchange): Promise<Response>;
  /** Closes connections and processes. The next use connects again. */
  close(): Promise<void>;
}

/** A request of an MCP client, with its user and the dependencies of the reply. */
export interface McpExchange {
  /** Its signal aborts when the client disconnects. Its body is not read. */
  readonly request: Request;
  /** The JSON of the body; undefined without one. */
  readonly body: unknown;
  /** The verified user, when there is one. */
  readonly user: User | undefined;
  readonly userId: string | undefined;
  /** On whose behalf workflows run: the verified user, else the address. */
  readonly subject?: string | undefined;
  /** Whether the caller may use what only operators may reach. Default: false. */
  readonly isOperator?: boolean;
  /** The calling service's span, from the header `traceparent`. */
  readonly traceParent: SpanContext | undefined;
  readonly services: AgentServices;
  readonly workflows: WorkflowRuntime;
}
