import type { Registry } from '@halyard/core/server';
import { isReachable } from '../../../access/targets.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { Catalog } from './schemas.ts';

export const catalogRoutes = [
  defineRoute({
    method: 'GET',
    url: '/api/catalog',
    tier: 'user',
    operationId: 'getCatalog',
    tag: 'Catalog',
    summary: 'List the agents, workflows and tools that a user may call',
    description:
      'For apps that let their users choose. Agents, workflows and tools that the option `access` keeps from the caller, and routes that `auth.consoleRoutes` reserves for the console, are left out.',
    data: Catalog,
    handler: ({ caller }, { memories, registry, requirementOf }) => ({
      agents: isForUsers(requirementOf, '/agents/:id/chat')
        ? registry.agents.filter((agent) => isReachable(agent, caller)).map((agent) => describeAgent(agent, memories))
        : [],
      workflows: isForUsers(requirementOf, '/workflows/:id/execute')
        ? registry.workflows.filter((workflow) => isReachable(workflow, caller)).map(describeWorkflow)
        : [],
      tools: isForUsers(requirementOf, '/tools/:name/execute')
        ? registry.tools.filter((tool) => isReachable(tool, caller)).flatMap(describeTool)
        : [],
    }),
  }),
];

function isForUsers(requirementOf: Services['requirementOf'], url: string): boolean {
  return requirementOf('POST', url) !== 'console';
}

function describeAgent(agent: Registry['agents'][number], memories: Services['memories']): Catalog['agents'][number] {
  const { description, id, name, suggestions } = agent;
  return { id, name, description, hasMemory: memories.of(agent) !== undefined, suggestions: [...suggestions] };
}

function describeWorkflow(workflow: Registry['workflows'][number]): Catalog['workflows'][number] {
  const { id, input, name, purpose, resumeSchema } = workflow;
  return {
    id,
    name,
    purpose,
    inputSchema: input?.jsonSchema ?? null,
    resumeSchema: resumeSchema?.jsonSchema ?? null,
  };
}

function describeTool({ name, tool }: Registry['tools'][number]): Catalog['tools'] {
  const { approval, clientSide, description, input } = tool;
  return clientSide || approval === true ? [] : [{ name, description, inputSchema: input.jsonSchema }];
}
