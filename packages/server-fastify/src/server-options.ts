import type { FastifyCorsOptions } from '@fastify/cors';
import type { Storage, WorkQueue } from '@halyard/contracts';
import type { McpServer, Memory, RegistryOptions } from '@halyard/core';
import type { FastifyServerOptions } from 'fastify';
import type { AuthOptions } from './access/auth-options.ts';
import type { RetentionOptions } from './lifecycle/retention.ts';
import type { Limits } from './limits.ts';
import type { TelemetryOptions } from './telemetry/open-recording.ts';
import type { UpdatesOptions } from './updates/updates.ts';

/** Options of the plugin `halyard`. */
export interface HalyardOptions extends RegistryOptions {
  /** Who may call what. Default: everything is open. In an app of one's own it covers Halyard's routes, and the app's are the app's. */
  readonly auth?: AuthOptions;
  /** Where data is kept. Default: in this process, gone when it ends. One that is passed in is its owner's to close. */
  readonly storage?: Storage;
  /** The memory of agents that say nothing of theirs, and the one that `/api/memory` means where no agent is named. Default: none. */
  readonly memory?: Memory;
  /** Serve the API explorer at `/ui`. Default: not where NODE_ENV is production, else yes. */
  readonly enableSwaggerUI?: boolean;
  /**
   * Signs tool approvals; of a list the first signs and all verify. Default: `HALYARD_SECRET`, else a random one, with which
   * approvals do not outlive the process nor reach another one.
   */
  readonly secret?: string | readonly string[];
  /** How long an approval can be given; default 24 hours. */
  readonly approvalExpiryMs?: number;
  readonly limits?: Partial<Limits>;
  /** Decides when executions of workflows run. Default: in this process, 256 at a time. */
  readonly queue?: WorkQueue;
  /**
   * How long a process that died keeps the executions that it ran, and the answers that it gave; default 10 000. Another takes executions over a third of it
   * later, and a second; answers are lost.
   */
  readonly leaseMs?: number;
  /** How long what has ended is kept; `false`: for good, or until somebody else deletes it. Default: 30 days. */
  readonly retention?: RetentionOptions | false;
  /** Whether and how `/updates` and `/setup-observability` change the app's files. */
  readonly updates?: UpdatesOptions;
  /** What is recorded of runs, and where; `false`: nothing is. */
  readonly telemetry?: TelemetryOptions | false;
  /** What agents and people find at `/mcp/servers`, and clients at `/mcp/<id>` where it is one of one's own (`@halyard/mcp`). Closed with the server. */
  readonly mcpServers?: readonly McpServer[];
  /** Comes before every path. */
  readonly prefix?: string;
}

/** Options of {@link createServer}. */
export interface ServerOptions extends HalyardOptions {
  /** Default 127.0.0.1; 0.0.0.0 where NODE_ENV is production. */
  readonly host?: string;
  /** Default 3141. */
  readonly port?: number;
  /** Answer browsers of other origins: all of them, or as the options of `@fastify/cors` say. Default: off. */
  readonly cors?: boolean | FastifyCorsOptions;
  /**
   * Options of Fastify's logger, a level, or `false` for none. Default level: `info`, and `warn` where NODE_ENV is production or test. Lines are JSON;
   * in development, for the eyes, unless the options say where they go (`stream`, `transport`, `file`).
   */
  readonly logger?: FastifyServerOptions['logger'] | LogLevel;
  /** How many requests a verified user, or else an address, may send. Health checks do not count. Default: as many as they like. */
  readonly rateLimit?: RateLimit;
  /** Which proxies may say where a request came from; Fastify's option. */
  readonly trustProxy?: FastifyServerOptions['trustProxy'];
  /** Close on SIGTERM and SIGINT once the server listens. Default: yes. */
  readonly signals?: boolean;
}

export interface RateLimit {
  /** Requests of one caller in a window. */
  readonly max: number;
  /** Default: 60 000. */
  readonly windowMs?: number;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export const defaultPort = 3141;
