import type { AnyEndpoint } from '../define/endpoint.ts';
import { agentHistoryRoutes } from './agent-history.ts';
import { agentRoutes } from './agents.ts';
import { chatRoutes } from './chat.ts';
import { discoveryRoutes } from './discovery.ts';
import { documentPages } from './documents.ts';
import { executionControlRoutes } from './execution-control.ts';
import { executionRoutes } from './executions.ts';
import { generationRoutes } from './generation.ts';
import { healthPages } from './health.ts';
import { logRoutes } from './logs.ts';
import { conversationRoutes } from './memory/conversations.ts';
import { messageRoutes } from './memory/messages.ts';
import { memorySearchRoutes } from './memory/search.ts';
import { userRoutes } from './memory/users.ts';
import { workingMemoryRoutes } from './memory/working-memory.ts';
import { observabilityRoutes } from './observability.ts';
import { runRoutes } from './runs.ts';
import { toolRoutes } from './tools.ts';
import { updateRoutes } from './updates.ts';
import { workflowRoutes } from './workflows.ts';

/** The table of contents of the API: what is registered, documented and guarded comes from here. */
export const endpoints: readonly AnyEndpoint[] = [
  ...agentRoutes,
  ...agentHistoryRoutes,
  ...generationRoutes,
  ...chatRoutes,
  ...workflowRoutes,
  ...runRoutes,
  ...executionRoutes,
  ...executionControlRoutes,
  ...toolRoutes,
  ...conversationRoutes,
  ...messageRoutes,
  ...workingMemoryRoutes,
  ...memorySearchRoutes,
  ...userRoutes,
  ...observabilityRoutes,
  ...updateRoutes,
  ...discoveryRoutes,
  ...logRoutes,
  ...documentPages,
  ...healthPages,
];
