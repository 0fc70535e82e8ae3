import type { Agent, GenerationSettings } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import type { Caller } from '../../../access/identity.ts';
import type { Memories } from '../../../access/memories.ts';
import { isCovered, isVisible } from '../../../access/targets.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { IdParams, restrictedAccess } from '../common-schemas.ts';
import { AgentSummary } from './schemas.ts';

export const agentRoutes = [
  defineRoute({
    method: 'GET',
    url: '/agents',
    tier: 'console',
    isScoped: true,
    operationId: 'listAgents',
    tag: 'Agents',
    summary: 'List agents',
    data: Type.Array(AgentSummary),
    handler: ({ caller }, services) =>
      services.registry.agents
        .filter((agent) => isVisible(agent, caller) && isCovered('agent', agent.id, caller))
        .map((agent) => summarizeAgent(agent, caller, services)),
  }),
  defineRoute({
    method: 'GET',
    url: '/agents/:id',
    tier: 'console',
    isScoped: true,
    operationId: 'getAgent',
    tag: 'Agents',
    summary: 'Get an agent',
    params: IdParams,
    failures: [404],
    data: AgentSummary,
    handler: ({ caller, params }, services) => summarizeAgent(services.registry.getAgent(params.id), caller, services),
  }),
];

/** Never exposes the instructions of the agent. */
function summarizeAgent(
  agent: Agent,
  caller: Caller,
  { generationDefaults, memories, telemetry }: Pick<Services, 'generationDefaults' | 'memories' | 'telemetry'>,
): AgentSummary {
  const visible = agent.subAgents.filter((subAgent) => isVisible(subAgent, caller));
  const subAgents = visible.map((subAgent) => readFields(subAgent, caller, memories));
  return {
    ...readFields(agent, caller, memories),
    suggestions: [...agent.suggestions],
    subAgents,
    isTelemetryEnabled: telemetry !== undefined,
    settings: readSettings(agent, generationDefaults),
  };
}

function readSettings(agent: Agent, defaults: GenerationSettings): AgentSummary['settings'] {
  const { choosesSubAgents, choosesTools, durable, instructions, maxSteps, onBusy, resumable, settings } = agent;
  // Headers and options of a provider can contain secrets.
  const { headers: _, providerOptions: __, ...own } = settings;
  return {
    instructions: readOrigin(instructions),
    tools: choosesTools ? 'function' : 'fixed',
    subAgents: choosesSubAgents ? 'function' : 'fixed',
    maxSteps,
    onBusy,
    resumable,
    durable: durable ?? null,
    generation: { ...(agent.takesDefaults() && defaults), ...own },
  };
}

function readOrigin(instructions: Agent['instructions']): AgentSummary['settings']['instructions'] {
  if (typeof instructions === 'function') return 'function';
  if (typeof instructions !== 'string') return 'messages';
  return instructions === '' ? 'none' : 'text';
}

function readFields(agent: Agent, caller: Caller, memories: Memories): AgentSummary['subAgents'][number] {
  const { description, id, modelName, name, tools } = agent;
  const memory = memories.of(agent);
  return {
    id,
    name,
    description,
    status: 'idle',
    model: modelName,
    tools: tools.filter((tool) => isVisible(tool, caller)).map((tool) => tool.name),
    memory: memory === undefined ? null : { config: memory.config },
    ...restrictedAccess(agent),
  };
}
