import { InvalidInputError } from '@halyard/contracts';
import { createTool } from '../tool/create-tool.ts';
import type { Tool } from '../tool/tool.ts';
import type { Agent } from './agent.ts';

export interface AgentToolOptions {
  /** Default: `ask_<id of the agent>`. */
  readonly name?: string | undefined;
  /** Default: from the agent's name and description. */
  readonly description?: string | undefined;
}

/**
 * A tool that gives a task to an agent and returns its reply. When another agent calls it, the
 * calling run emits the events with `agentId` and `agentPath`, includes the usage, and aborts the
 * sub-agent when it ends.
 */
export function createAgentTool(agent: Agent, options: AgentToolOptions = {}): Tool {
  const { name, description } = options;
  return createTool({
    name: name ?? `ask_${agent.id.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64),
    description: description ?? `Asks the agent "${agent.name}" to do a task and answer. ${agent.description}`.trim(),
    tags: ['agent'],
    access: agent.access,
    timeoutMs: agent.timeouts.totalMs,
    input: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'The whole task: the agent knows nothing of this conversation.' },
      },
      required: ['task'],
    } as const,
    execute: async (input, { signal, user, userId, context, parent, logger, recorder }) => {
      const runOptions = {
        signal,
        context,
        ...(user !== undefined && { user }),
        ...(userId !== undefined && { userId }),
        ...(parent === undefined
          ? { services: { logger, ...(recorder !== undefined && { recorder }) } }
          : { parent, services: parent.services, journal: parent.journal }),
      };
      const { fullText } = await agent.generateText(readTask(input), runOptions);
      return fullText;
    },
  });
}

function readTask(input: unknown): string {
  if (typeof input === 'object' && input !== null && 'task' in input && typeof input.task === 'string')
    return input.task;
  throw new InvalidInputError('input/task must be string');
}
