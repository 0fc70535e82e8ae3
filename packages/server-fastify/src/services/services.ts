import type { Storage, StreamStore } from '@halyard/contracts';
import type { AgentServices, Registry, ResumableAnswers, Telemetry, WorkflowRuntime } from '@halyard/core';
import type { Limits } from '../limits.ts';
import type { Updates } from '../updates/updates.ts';
import type { McpServers } from './mcp-servers.ts';
import type { Memories } from './memories.ts';

/** What handlers may use. */
export interface Services {
  readonly registry: Registry;
  readonly storage: Storage;
  readonly memories: Memories;
  readonly mcpServers: McpServers;
  /** What agent runs and tool calls of this server use: its clock, ids, logger and approvals. */
  readonly run: AgentServices;
  /** Runs the executions of this server's workflows, and does what is asked of them. */
  readonly workflows: WorkflowRuntime;
  /** Stores resumable answers while they are generated. */
  readonly streams: StreamStore;
  /** Answers that continue without their clients. */
  readonly answers: ResumableAnswers;
  /** Spans and logs; undefined: nothing is recorded. */
  readonly telemetry: Telemetry | undefined;
  /** Loads the code of `/updates` on the first call: most servers never need it. */
  readonly loadUpdates: () => Promise<Updates>;
  /** Whether the server has stopped taking work. */
  readonly isDraining: () => boolean;
  readonly limits: Limits;
  readonly site: Site;
}

/** What this server says about itself. */
export interface Site {
  /** The OpenAPI document as JSON; built when it is first asked for. */
  readonly apiDocument: () => string;
  /** Whether the API explorer is served at `/ui`. */
  readonly hasExplorer: boolean;
  /** Where the server listens, such as `http://127.0.0.1:3141`. */
  readonly origin: () => string;
  /** What comes before every path: '' unless the plugin was registered under a prefix. */
  readonly prefix: string;
}
