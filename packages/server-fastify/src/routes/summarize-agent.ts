import type { Agent } from '@halyard/core';
import type { Services } from '../define/services.ts';
import type { Memories } from '../memories.ts';
import type { AgentSummary } from '../schemas/agent-summary.ts';

type Known = Pick<Services, 'memories' | 'registry' | 'telemetry'>;

const summaries = new WeakMap<Memories, WeakMap<Agent, AgentSummary>>();
const lists = new WeakMap<Memories, AgentSummary[]>();

/** The agents of a server; built when first asked for, since neither they nor their memories change. */
export function summarizeAgents(services: Known): AgentSummary[] {
  const { memories, registry } = services;
  let list = lists.get(memories);
  if (list === undefined) {
    list = registry.agents.map((agent) => summarizeAgent(agent, services));
    // What is frozen is written as JSON once.
    Object.freeze(list);
    lists.set(memories, list);
  }
  return list;
}

/** What anybody who may see an agent may know of it: never its instructions. */
export function summarizeAgent(agent: Agent, { memories, telemetry }: Omit<Known, 'registry'>): AgentSummary {
  const known = summaries.get(memories) ?? new WeakMap<Agent, AgentSummary>();
  summaries.set(memories, known);
  let summary = known.get(agent);
  if (summary === undefined) {
    const subAgents = agent.subAgents.map((subAgent) => fieldsOf(subAgent, memories));
    summary = { ...fieldsOf(agent, memories), subAgents, isTelemetryEnabled: telemetry !== undefined };
    Object.freeze(summary);
    known.set(agent, summary);
  }
  return summary;
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
