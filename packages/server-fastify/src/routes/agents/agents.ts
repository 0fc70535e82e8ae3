import { type Agent, generationDefaults } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { defineRoute } from '../../define/define-route.ts';
import type { Memories } from '../../services/memories.ts';
import type { Services } from '../../services/services.ts';
import { IdParams } from '../common-schemas.ts';
import { AgentSummary } from './schemas.ts';

export const agentRoutes = [
  defineRoute({
    method: 'GET',
    url: '/agents',
    tier: 'console',
    operationId: 'listAgents',
    tag: 'Agents',
    summary: 'List agents',
    data: Type.Array(AgentSummary),
    handler: (_, services) => services.registry.agents.map((agent) => summarizeAgent(agent, services)),
  }),
  defineRoute({
    method: 'GET',
    url: '/agents/:id',
    tier: 'console',
    operationId: 'getAgent',
    tag: 'Agents',
    summary: 'Get an agent',
    params: IdParams,
    failures: [404],
    data: AgentSummary,
    handler: ({ params }, services) => summarizeAgent(services.registry.getAgent(params.id), services),
  }),
];

/** Never exposes the instructions of the agent. */
function summarizeAgent(agent: Agent, { memories, telemetry }: Pick<Services, 'memories' | 'telemetry'>): AgentSummary {
  const subAgents = agent.subAgents.map((subAgent) => fieldsOf(subAgent, memories));
  return {
    ...fieldsOf(agent, memories),
    subAgents,
    isTelemetryEnabled: telemetry !== undefined,
    settings: settingsOf(agent),
  };
}

function settingsOf(agent: Agent): AgentSummary['settings'] {
  const { durable, instructions, maxSteps, onBusy, resumable, settings } = agent;
  // Headers and options of a provider can contain secrets.
  const { headers: _, providerOptions: __, ...own } = settings;
  return {
    instructions: originOf(instructions),
    maxSteps,
    onBusy,
    resumable,
    durable: durable ?? null,
    generation: { ...generationDefaults, ...own },
  };
}

function originOf(instructions: Agent['instructions']): AgentSummary['settings']['instructions'] {
  if (typeof instructions === 'function') return 'function';
  if (typeof instructions !== 'string') return 'messages';
  return instructions === '' ? 'none' : 'text';
}

function fieldsOf(agent: Agent, memories: Memories): AgentSummary['subAgents'][number] {
  const { description, id, modelName, name, tools } = agent;
  const memory = memories.of(agent);
  return {
    id,
    name,
    description,
    status: 'idle',
    model: modelName,
    tools: tools.map((tool) => tool.name),
    memory: memory === undefined ? null : { config: memory.config },
  };
}
