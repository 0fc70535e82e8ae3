import type { EngineStorage, Storage, StreamStore } from '@halyard/contracts';
import type { GenerationSettings, WorkflowRuntime } from '@halyard/core';
import type { AgentServices, Chats, ClientSchemas, Registry, Telemetry } from '@halyard/core/server';
import type { Caller } from '../access/identity.ts';
import type { Memories } from '../access/memories.ts';
import type { Requirement } from '../access/policy.ts';
import type { Targets } from '../access/targets.ts';
import type { ServerLimits } from '../admission/limits.ts';
import type { AuditTrail } from '../runtime/audit/audit-trail.ts';
import type { Hook } from '../runtime/hooks/hook-options.ts';
import type { ServerMetrics } from '../runtime/metrics/server-metrics.ts';
import type { AnswerLinks } from '../runtime/services/answer-links.ts';
import type { ApprovalChanges } from '../runtime/services/approval-changes.ts';
import type { ConfigurationWarning } from '../runtime/services/configuration-warnings.ts';
import type { FixedText } from '../runtime/services/fixed-text.ts';
import type { McpServers } from '../runtime/services/mcp-servers.ts';
import type { ForwardedAddress, PublicAddress } from '../runtime/services/public-address.ts';
import type { StreamTickets } from '../runtime/services/stream-tickets.ts';
import type { Updates } from '../runtime/updates/updates.ts';
import type { WebhookSender } from '../runtime/webhooks/webhook-sender.ts';
import type { PageLink } from './routes/documents/page-link.ts';

/** The dependencies of the handlers. */
export interface Services {
  readonly registry: Registry;
  readonly storage: Storage | EngineStorage;
  /** Records who did what. */
  readonly audit: AuditTrail;
  readonly memories: Memories;
  readonly mcpServers: McpServers;
  /** Applies the option `access` of agents, tools and workflows. */
  readonly targets: Targets;
  /** The clock, ids, logger and approvals of agent runs and tool calls. */
  readonly agentServices: AgentServices;
  /** Says when requests for approval change in this process. */
  readonly approvalChanges: ApprovalChanges;
  /** Settings for model calls where neither the request nor the agent has one. */
  readonly generationDefaults: GenerationSettings;
  /** Runs and controls the executions of the registered workflows. */
  readonly workflows: WorkflowRuntime;
  /** The receivers of webhooks, by their ids. */
  readonly hooks: ReadonlyMap<string, Hook>;
  /** Sends events; undefined without endpoints. */
  readonly webhooks: WebhookSender | undefined;
  /** Stores resumable chats while they are generated. */
  readonly streams: StreamStore;
  /** Lets browsers open streams. */
  readonly streamTickets: StreamTickets;
  /** Signs links with which people answer requests without a token. */
  readonly answerLinks: AnswerLinks;
  /** The key by which limits are counted, as it is stored with executions: without the address. */
  readonly storedCallerKey: (caller: Caller) => string;
  /** Starts chats, and follows those that continue without their clients. */
  readonly chats: Chats;
  /** Compiles the schemas of `/object` and `/stream-object`, and validates with them. */
  readonly schemas: ClientSchemas;
  /** Records spans and logs; undefined if recording is off. */
  readonly telemetry: Telemetry | undefined;
  /** The counters and gauges of this server. */
  readonly metrics: ServerMetrics;
  /** Loads the code of `/updates` on the first call: most servers never need it. */
  readonly loadUpdates: () => Promise<Updates>;
  /**
   * The credential that a route requires; undefined without access control. @param url its pattern,
   * such as `/agents/:id`.
   */
  readonly requirementOf: (method: string, url: string) => Requirement | undefined;
  /** Whether the server is going to take no more work. */
  readonly isStopping: () => boolean;
  readonly limits: ServerLimits;
  /** Settings that are a risk in production. */
  readonly warnings: readonly ConfigurationWarning[];
  readonly site: Site;
  /** The pages that the landing page links to. */
  readonly links: readonly PageLink[];
}

/** The addresses and the OpenAPI document of this server. */
export interface Site {
  /**
   * The OpenAPI document as JSON, built on the first call and kept. @param serverUrl the address
   * that its paths are relative to.
   */
  readonly apiDocument: (serverUrl: string) => FixedText;
  /** Whether the console is served at `/console`; if not, why. */
  readonly console: 'served' | 'not-installed' | 'off';
  /** Whether the API explorer is served at `/ui`. */
  readonly hasExplorer: boolean;
  /** How the client of a request reaches the server. */
  readonly addressFor: (forwarded: ForwardedAddress | undefined) => PublicAddress;
  /** The prefix of every path; '' without a prefix. */
  readonly prefix: string;
  /** The authorization servers of its users; empty if the auth provider names none. */
  readonly authorizationServers: readonly string[];
}
