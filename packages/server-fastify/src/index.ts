export type { AuthOptions } from './access/auth-options.ts';
export type { ConsoleLevel, ConsoleRole } from './access/console-roles.ts';
export { createServer, type HalyardServer } from './create-server.ts';
export { defaultConsoleRoutes } from './api/default-console-routes.ts';
export type { FetchOptions } from './http/fetch/fetch-handler.ts';
export { verifiedUser } from './http/guards/access-hook.ts';
export { halyard } from './halyard.ts';
export {
  type AnswerLinkOptions,
  type ApprovalReference,
  type ApprovalResponse,
  type ServerApprovals,
  serverApprovals,
} from './http/server-approvals.ts';
export type { Approval } from './api/routes/approvals/schemas.ts';
export type { Recipient } from './runtime/services/answer-links.ts';
export { workflowRuntime } from './http/workflow-runtime.ts';
export type { RetentionOptions } from './runtime/lifecycle/retention.ts';
export type { Limits } from './admission/limits.ts';
export type { PageLink } from './api/routes/documents/page-link.ts';
export type { TelemetryOptions } from './runtime/telemetry/open-recording.ts';
export type { UpdatesOptions } from './runtime/updates/updates.ts';
export type { HookEvent, HookOptions, HookRequest, HookStart, ReceivedWebhook } from './runtime/hooks/hook-options.ts';
export type { WebhookOptions } from './runtime/webhooks/webhook-options.ts';
export type { HalyardOptions, LogLevel, RateLimit, ServerOptions } from './server-options.ts';
