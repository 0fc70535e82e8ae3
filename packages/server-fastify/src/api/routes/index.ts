import type { AnyEndpoint } from '../define/endpoint.ts';
import { agentRoutes } from './agents/agents.ts';
import { chatRoutes } from './agents/chat.ts';
import { feedbackRoutes } from './agents/feedback.ts';
import { generationRoutes } from './agents/generation.ts';
import { agentHistoryRoutes } from './agents/history.ts';
import { trialRoutes } from './agents/trials.ts';
import { approvalRoutes, ownApprovalRoutes } from './approvals/approvals.ts';
import { grantRoutes } from './approvals/grants.ts';
import { answerLinkPages } from './approvals/links/answer-link.ts';
import { auditRoutes } from './audit/audit.ts';
import { catalogRoutes } from './catalog/catalog.ts';
import { discoveryRoutes } from './discovery/discovery.ts';
import { resourceMetadataRoutes } from './discovery/resource-metadata.ts';
import { documentPages } from './documents/documents.ts';
import { bulkRoutes } from './executions/bulk.ts';
import { executionViewRoutes } from './executions/execution-views.ts';
import { executionRoutes } from './executions/executions.ts';
import { streamTicketRoutes } from './executions/stream-ticket.ts';
import { healthPages } from './health/health.ts';
import { hookRoutes } from './hooks/hooks.ts';
import { identityRoutes } from './identity/identity.ts';
import { logRoutes } from './logs/logs.ts';
import { conversationRoutes } from './memory/conversations.ts';
import { messageRoutes } from './memory/messages.ts';
import { operatorMemoryRoutes } from './memory/operator-memory-routes.ts';
import { memorySearchRoutes } from './memory/search.ts';
import { userRoutes } from './memory/users.ts';
import { workingMemoryRoutes } from './memory/working-memory.ts';
import { metricsPages } from './metrics/metrics.ts';
import { agentDefinitionRoutes } from './observability/agent-definitions.ts';
import { failureRoutes } from './observability/failures.ts';
import { metricRoutes } from './observability/metrics.ts';
import { observabilityRoutes } from './observability/observability.ts';
import { systemRoutes } from './system/system.ts';
import { toolRoutes } from './tools/tools.ts';
import { updateRoutes } from './updates/updates.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';
import { eventRoutes } from './workflows/events.ts';
import { runRoutes } from './workflows/runs.ts';
import { workflowRoutes } from './workflows/workflows.ts';

/**
 * The table of contents of the API. Registration, documentation and access control are derived from
 * this list.
 */
export const endpoints: readonly AnyEndpoint[] = [
  ...agentRoutes,
  ...catalogRoutes,
  ...identityRoutes,
  ...agentHistoryRoutes,
  ...generationRoutes,
  ...trialRoutes,
  ...chatRoutes,
  ...feedbackRoutes,
  ...workflowRoutes,
  ...eventRoutes,
  ...runRoutes,
  ...executionRoutes,
  ...executionViewRoutes,
  ...streamTicketRoutes,
  ...bulkRoutes,
  ...toolRoutes,
  ...conversationRoutes,
  ...messageRoutes,
  ...workingMemoryRoutes,
  ...memorySearchRoutes,
  ...userRoutes,
  ...operatorMemoryRoutes,
  ...approvalRoutes,
  ...ownApprovalRoutes,
  ...grantRoutes,
  ...answerLinkPages,
  ...auditRoutes,
  ...webhookRoutes,
  ...hookRoutes,
  ...observabilityRoutes,
  ...metricRoutes,
  ...failureRoutes,
  ...agentDefinitionRoutes,
  ...systemRoutes,
  ...updateRoutes,
  ...discoveryRoutes,
  ...resourceMetadataRoutes,
  ...logRoutes,
  ...documentPages,
  ...healthPages,
  ...metricsPages,
];
