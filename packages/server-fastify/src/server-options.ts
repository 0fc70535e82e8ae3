import type { FastifyCorsOptions } from '@fastify/cors';
import type { ExecutionEngine, Storage } from '@halyard/contracts';
import type { Agent, ExecutionQueueOptions, MayAnswer, Memory, ToolsOption } from '@halyard/core';
import type { Collection, McpServer, RegistryOptions, WorkflowDefinition } from '@halyard/core/server';
import type { FastifyServerOptions } from 'fastify';
import type { AuthOptions } from './access/auth-options.ts';
import type { Limits } from './admission/limits.ts';
import type { PageLink } from './api/routes/documents/page-link.ts';
import type { HookOptions } from './runtime/hooks/hook-options.ts';
import type { RetentionOptions } from './runtime/lifecycle/retention.ts';
import type { TelemetryOptions } from './runtime/telemetry/open-recording.ts';
import type { UpdatesOptions } from './runtime/updates/updates.ts';
import type { WebhookOptions } from './runtime/webhooks/webhook-options.ts';

/** Options of the plugin `halyard`. */
export interface HalyardOptions<
  Agents extends Collection<Agent> = Collection<Agent>,
  Tools extends ToolsOption = ToolsOption,
  Workflows extends Collection<WorkflowDefinition> = Collection<WorkflowDefinition>,
> extends RegistryOptions<Agents, Tools, Workflows> {
  /**
   * Access control. Default: all routes are open, in development to this computer only. The plugin
   * applies it to Halyard's routes, not to the app's own routes.
   */
  readonly auth?: AuthOptions | undefined;
  /**
   * In development: further host names of this computer, without scheme and port, such as
   * `['halyard.test']`. Unless NODE_ENV is production, the dev bypass, and each request to a server
   * without `auth`, must come from this computer, without a proxy, and name localhost, a loopback
   * address or one of these hosts. Default: none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Without `auth`: the owner of a conversation if the request names none, as those of `useChat`
   * do. Default: `halyard:anonymous`, with a warning in production. `false`: such conversations are
   * not stored. No effect with `auth`.
   */
  readonly anonymousUserId?: string | false | undefined;
  /**
   * Stores all data. Default: in memory, lost when the process ends, with a warning in production.
   * The server does not close a storage that is passed in.
   */
  readonly storage?: Storage | undefined;
  /**
   * Stores and drives executions instead of the storage, which keeps everything else and their
   * lists: `createRestateEngine(…)`. Default: the storage does it.
   */
  readonly engine?: ExecutionEngine | undefined;
  /**
   * The memory of agents without a `memory` option, and of `/api/memory` requests without
   * `agentId`. Default: none.
   */
  readonly memory?: Memory | undefined;
  /**
   * `provider-defaults`: requests send a model no setting that neither they nor the agent contain.
   * Default: the defaults of the HTTP API, except to reasoning models.
   */
  readonly generation?: 'provider-defaults' | undefined;
  /**
   * Serve the console at `/console`. Default: true if the package `@halyard/console` is installed.
   */
  readonly console?: boolean | undefined;
  /** Serve the API explorer at `/ui`. Default: true unless NODE_ENV is production. */
  readonly enableSwaggerUI?: boolean | undefined;
  /**
   * Signs tool approvals, answer links, and the addresses of callers that are stored with executions. The first
   * secret of a list signs, all verify. Default: the environment variable `HALYARD_SECRET`, else a
   * random secret: then approvals and links are valid in this process only, and replicas count a caller
   * without a user separately.
   */
  readonly secret?: string | readonly string[] | undefined;
  /** How long a tool approval accepts a response, in milliseconds. Default: 24 hours. */
  readonly approvalExpiryMs?: number | undefined;
  /**
   * Decides finally whether a verified user may answer a request that waits for a person, after the
   * rules of the request have allowed it. Nobody may if it fails, or takes longer than 5 s. Default:
   * the rules decide.
   */
  readonly mayAnswer?: MayAnswer | undefined;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * How many executions run in this process at a time, and how many of one user may wait. Default:
   * 256, and 10 000 of each workflow.
   */
  readonly queue?: ExecutionQueueOptions | undefined;
  /**
   * The lease of running executions and of replies, in milliseconds. Default: 10 000. When a
   * process dies, another one takes over its executions after the lease, a third of the lease and
   * one second at the latest; earlier if the storage notices its end, as PostgreSQL does. Its
   * unfinished replies are lost, and their conversations can have the next run after the lease.
   */
  readonly leaseMs?: number | undefined;
  /**
   * When finished executions, events, streams and approvals are deleted. `false`: never by this
   * server. Default: after 30 days.
   */
  readonly retention?: RetentionOptions | false | undefined;
  /** Options of `/updates` and `/setup-observability`, which change the app's files. */
  readonly updates?: UpdatesOptions | undefined;
  /** Records of runs, and their store. `false`: nothing is recorded. */
  readonly telemetry?: TelemetryOptions | false | undefined;
  /**
   * MCP servers, listed at `/mcp/servers`. Servers of the app itself (`@halyard/mcp`) are served at
   * `/mcp/<id>`. Closed with the server.
   */
  readonly mcpServers?: readonly McpServer[] | undefined;
  /**
   * Endpoints that get events: requests that wait for people, executions that end, durable replies
   * that are finished. The storage keeps them until they are delivered. Default: none.
   */
  readonly webhooks?: readonly WebhookOptions[] | undefined;
  /**
   * Receivers of webhooks at `POST /hooks/<id>`, by their ids: signed requests that start executions or
   * publish events. Default: none.
   */
  readonly hooks?: Readonly<Record<string, HookOptions>> | undefined;
  /** Pages that the landing page links to, such as a chat page of the app. Default: none. */
  readonly links?: readonly PageLink[] | undefined;
  /** The prefix of every path. Default: none. */
  readonly prefix?: string | undefined;
  /**
   * The address under which clients reach the server, without `prefix`: `https://api.example.org`,
   * or with the path that a proxy strips, `https://example.org/ai`. Agent cards, `/mcp/servers`,
   * the OpenAPI document and the landing page name it. Default: the address that a proxy was called
   * by, if `trustProxy` trusts it, else the listening address.
   */
  readonly publicUrl?: string | undefined;
}

/** Options of {@link createServer}. */
export interface ServerOptions<
  Agents extends Collection<Agent> = Collection<Agent>,
  Tools extends ToolsOption = ToolsOption,
  Workflows extends Collection<WorkflowDefinition> = Collection<WorkflowDefinition>,
> extends HalyardOptions<Agents, Tools, Workflows> {
  /**
   * The address to listen on. Default: the environment variable `HOST`, else 127.0.0.1, or 0.0.0.0
   * if NODE_ENV is production.
   */
  readonly host?: string | undefined;
  /** The port to listen on. Default: the environment variable `PORT`, else 3141. */
  readonly port?: number | undefined;
  /**
   * Allow requests from pages of other origins: `true` for all, or options of `@fastify/cors`.
   * Default: false.
   */
  readonly cors?: boolean | FastifyCorsOptions | undefined;
  /**
   * Options of Fastify's logger, a level, or `false` for no log. Default level: `info`, or `warn`
   * if NODE_ENV is production or test. Lines are JSON. In development they are formatted for
   * reading, unless the options set `stream`, `transport` or `file`.
   */
  readonly logger?: FastifyServerOptions['logger'] | LogLevel | undefined;
  /**
   * Limits the requests of each verified user or, without one, each address. Health checks do not
   * count. Default: no limit.
   */
  readonly rateLimit?: RateLimit | undefined;
  /**
   * The proxies whose `X-Forwarded-*` headers are trusted: Fastify's option. Set their addresses,
   * such as `'10.0.0.0/8'`, or `'uniquelocal'` for all private ones. `true` trusts every client,
   * with a warning in production.
   */
  readonly trustProxy?: FastifyServerOptions['trustProxy'] | undefined;
  /**
   * Close the server on SIGTERM and SIGINT, and on an `uncaughtException` or `unhandledRejection`
   * that the app does not handle; the process then ends with code 1. Default: true. Only a server
   * that `listen` starts does this.
   */
  readonly signals?: boolean | undefined;
}

export interface RateLimit {
  /** Requests of one caller per window. */
  readonly max: number;
  /** Length of the window, in milliseconds. Default: 60 000. */
  readonly windowMs?: number;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
