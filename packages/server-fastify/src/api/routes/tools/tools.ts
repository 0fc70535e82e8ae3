import { InvalidInputError, TimeLimitError, ToolFailedError } from '@halyard/contracts';
import type { Tool } from '@halyard/core';
import { acceptToolInput, defaultTimeouts, type RegisteredTool, runToolRecorded } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { type Caller, identify } from '../../../access/identity.ts';
import { isVisible } from '../../../access/targets.ts';
import { defineRoute } from '../../define/define-route.ts';
import { restrictedAccess } from '../common-schemas.ts';
import { ToolExecution, ToolExecutionRequest, ToolName, ToolSummary } from './schemas.ts';

export const toolRoutes = [
  defineRoute({
    method: 'GET',
    url: '/tools',
    tier: 'console',
    operationId: 'listTools',
    tag: 'Tools',
    summary: 'List tools',
    data: Type.Array(ToolSummary),
    handler: ({ caller }, { registry }) =>
      registry.tools.filter((tool) => isVisible(tool, caller)).map((tool) => summarizeTool(tool, caller)),
  }),
  defineRoute({
    method: 'POST',
    url: '/tools/:name/execute',
    tier: 'user',
    operationId: 'executeTool',
    tag: 'Tools',
    summary: 'Execute a tool directly',
    description:
      'A tool of an agent can also be called `agent/tool`, percent-encoded. It must be where tools of several agents have the same name.',
    params: Type.Object({ name: ToolName }),
    body: ToolExecutionRequest,
    failures: [404, 500],
    data: ToolExecution,
    handler: async ({ body, caller, params, signal, traceParent }, { registry, agentServices }) => {
      const { clock, ids, logger, recorder } = agentServices;
      const { tool } = registry.getTool(params.name);
      refuseClientSide(tool);
      const input = await acceptToolInput(tool, body.input, 'body/input');
      const { context = {}, userId } = identify(caller, body);
      const { conversationId } = body;
      const id = ids.next();
      const toolContext = {
        toolCallId: id,
        idempotencyKey: id,
        user: caller.user,
        userId,
        conversationId,
        context,
        logger,
        signal,
      };
      try {
        await refuseUnapproved(
          tool,
          async () => (await tool.needsApproval(input, { ...toolContext, toolName: tool.name })) !== false,
        );
        const startedAt = clock.now();
        const limitMs = tool.timeoutMs ?? defaultTimeouts.toolMs;
        const result = await runToolRecorded(tool, input, toolContext, limitMs, {
          recorder,
          services: agentServices,
          traceParent,
        });
        const endedAt = clock.now();
        return {
          toolName: tool.name,
          result,
          executionTime: endedAt - startedAt,
          timestamp: new Date(endedAt).toISOString(),
        };
      } catch (error) {
        throw signal.aborted || error instanceof TimeLimitError || error instanceof NeedsApprovalError
          ? error
          : toolFailed(tool, error);
      }
    },
  }),
];

function summarizeTool({ access, agents, name, tool }: RegisteredTool, caller: Caller): ToolSummary {
  const { approval, clientSide, description, input, output, tags } = tool;
  return {
    name,
    description,
    inputSchema: input.jsonSchema,
    outputSchema: output?.jsonSchema ?? null,
    needsApproval: approval !== false,
    tags: [...tags],
    agents: agents.filter((agent) => isVisible(agent, caller)).map((agent) => ({ id: agent.id, name: agent.name })),
    ...restrictedAccess({ access }),
    ...(clientSide && { clientSide: true as const }),
  };
}

function refuseClientSide({ clientSide, name }: Tool): void {
  if (!clientSide) return;
  throw new InvalidInputError(`Tool "${name}" cannot be executed here: the client runs it`, {
    code: 'TOOL_CLIENT_SIDE',
  });
}

async function refuseUnapproved({ approval, name }: Tool, asks: () => boolean | Promise<boolean>): Promise<void> {
  if (approval === true || (approval === 'asks' && (await asks()))) throw new NeedsApprovalError(name);
}

class NeedsApprovalError extends InvalidInputError {
  constructor(toolName: string) {
    super(`Tool "${toolName}" cannot be executed directly: it needs approval by a person, which only agents request`, {
      code: 'TOOL_NEEDS_APPROVAL',
    });
  }
}

/** The client gets a general message. The error of the tool is its cause, which is logged. */
function toolFailed({ name }: Tool, error: unknown): ToolFailedError {
  return error instanceof ToolFailedError ? error : new ToolFailedError(name, { cause: error });
}
