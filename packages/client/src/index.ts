export {
  type AgentClient,
  type AgentEvent,
  type AgentInput,
  type ChatOptions,
  type FeedbackOptions,
  type GenerateOptions,
  type ObjectEvent,
  type ObjectOptions,
  type TextResult,
  textOf,
  type UiMessageChunk,
} from './agent-client.ts';
export type {
  AgentId,
  AgentTools,
  ToolName,
  ToolTypes,
  ToolWith,
  WorkflowId,
  WorkflowTypes,
  WorkflowWith,
} from './app-types.ts';
export type { Approval, ApprovalAnswer, ApprovalGrant, ApprovalsClient } from './approvals-client.ts';
export type { AuditClient, AuditRecord } from './audit-client.ts';
export type { Channel, ChannelMessages, ChannelOptions } from './channel.ts';
export type { CallOptions, ClientOptions, FetchFunction, FetchInit, Renewable } from './client-options.ts';
export type { Api } from './connection.ts';
export type { Conversation, ConversationsClient, MemoryOptions, StoredMessage } from './conversations-client.ts';
export { type Client, createClient } from './create-client.ts';
export type { ErrorCode } from './error-code.ts';
export {
  ApiError,
  ClientError,
  ConflictError,
  ConnectionError,
  FailedError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  type Refusal,
  StreamFailedError,
  UnauthenticatedError,
  UnavailableError,
  UnexpectedReplyError,
} from './errors.ts';
export type { FollowOptions, WorkflowEvent } from './follow-execution.ts';
export type { InferObject, JsonSchema, ObjectSchema, StandardJsonSchema } from './json-schema.ts';
export type { components, operations, paths } from './schema.ts';
export type { ExecuteOptions, ToolClient } from './tool-client.ts';
export type {
  Execution,
  ExecutionQuery,
  ExecutionRecord,
  ExecutionState,
  ReplayOptions,
  ResumeOptions,
  RunResult,
  StartOptions,
  StopOptions,
  WorkflowClient,
} from './workflow-client.ts';
export { verifyWebhook, type WebhookEvent, WebhookRefusedError, type WebhookRequest } from './verify-webhook.ts';
