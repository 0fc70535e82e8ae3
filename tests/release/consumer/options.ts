// Compiled with `exactOptionalPropertyTypes`, where an option of type `name?: string` refuses
// `undefined`. A lint rule keeps the sources so; this checks the declarations that apps read.
import type { CustomAuthOptions } from '@halyard/auth-custom';
import type { JwtAuthOptions } from '@halyard/auth-jwt';
import type {
  ChatOptions,
  ClientOptions,
  ExecuteOptions,
  ExecutionQuery,
  FollowOptions,
  GenerateOptions,
  ReplayOptions as ClientReplayOptions,
  ResumeOptions as ClientResumeOptions,
  StartOptions as ClientStartOptions,
} from '@halyard/client';
import type {
  AgentHooks,
  AgentOptions,
  AgentTimeouts,
  AgentToolOptions,
  CompactionOptions,
  GenerationSettings,
  MemoryOptions,
  ObjectOptions,
  PreparedStep,
  RedactPiiOptions,
  ReplayOptions,
  ResumeOptions,
  RetryOptions,
  RunMemoryOptions,
  RunOptions,
  RunWorkflowOptions,
  Schema,
  SemanticRecallOptions,
  StartOptions,
  StepOptions,
  ToolOptions,
  WorkflowHooks,
  WorkflowOptions,
  WorkflowRuntimeOptions,
  WorkingMemoryOptions,
} from '@halyard/core';
import type { McpClientOptions, McpServerOptions, McpToolsOptions } from '@halyard/mcp';
import type { InMemoryStorageOptions } from '@halyard/memory-in-memory';
import type { PgVectorStoreOptions } from '@halyard/memory-pgvector';
import type { PostgresStorageOptions } from '@halyard/memory-postgres';
import type { AuthOptions, HalyardOptions, Limits, ServerOptions, TelemetryOptions } from '@halyard/server-fastify';
import type { OpenTelemetryOptions } from '@halyard/telemetry';

/** The names of the options that refuse `undefined`. */
type Refusing<Options> = Options extends object
  ? {
      [Name in keyof Options]-?: undefined extends Options[Name]
        ? { [Only in Name]: undefined } extends Pick<Options, Name>
          ? never
          : Name
        : never;
    }[keyof Options]
  : never;

type Nothing<Names extends readonly never[]> = Names;

export type EveryOptionAcceptsUndefined = Nothing<
  [
    Refusing<AgentHooks>,
    Refusing<AgentOptions>,
    Refusing<AgentTimeouts>,
    Refusing<AgentToolOptions>,
    Refusing<AuthOptions>,
    Refusing<ChatOptions>,
    Refusing<ClientOptions>,
    Refusing<ClientReplayOptions<unknown>>,
    Refusing<ClientResumeOptions<unknown>>,
    Refusing<ClientStartOptions>,
    Refusing<CompactionOptions>,
    Refusing<CustomAuthOptions>,
    Refusing<ExecuteOptions>,
    Refusing<ExecutionQuery>,
    Refusing<FollowOptions>,
    Refusing<GenerateOptions>,
    Refusing<GenerationSettings>,
    Refusing<HalyardOptions>,
    Refusing<InMemoryStorageOptions>,
    Refusing<JwtAuthOptions>,
    Refusing<Limits>,
    Refusing<McpClientOptions>,
    Refusing<McpServerOptions>,
    Refusing<McpToolsOptions>,
    Refusing<MemoryOptions>,
    Refusing<ObjectOptions<Schema>>,
    Refusing<OpenTelemetryOptions>,
    Refusing<PgVectorStoreOptions>,
    Refusing<PostgresStorageOptions>,
    Refusing<PreparedStep>,
    Refusing<RedactPiiOptions>,
    Refusing<ReplayOptions>,
    Refusing<ResumeOptions>,
    Refusing<RetryOptions>,
    Refusing<RunMemoryOptions>,
    Refusing<RunOptions>,
    Refusing<RunWorkflowOptions>,
    Refusing<SemanticRecallOptions>,
    Refusing<ServerOptions>,
    Refusing<StartOptions>,
    Refusing<StepOptions>,
    Refusing<TelemetryOptions>,
    Refusing<ToolOptions<Schema, Schema, unknown>>,
    Refusing<WorkflowHooks>,
    Refusing<WorkflowOptions<Schema, Schema, Schema, Schema, Schema>>,
    Refusing<WorkflowRuntimeOptions>,
    Refusing<WorkingMemoryOptions>,
  ]
>;
