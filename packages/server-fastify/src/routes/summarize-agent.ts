import type { Agent, Registry } from '@halyard/core';
import type { AgentSummary } from '../schemas/agent-summary.ts';

const summaries = new WeakMap<Agent, AgentSummary>();
const lists = new WeakMap<Registry, AgentSummary[]>();

/** The agents of a server; built when first asked for, since a registry does not change. */
export function summarizeAgents(registry: Registry): AgentSummary[] {
  let list = lists.get(registry);
  if (list === undefined) {
    list = registry.agents.map(summarizeAgent);
    // What is frozen is written as JSON once.
    Object.freeze(list);
    lists.set(registry, list);
  }
  return list;
}

/** What anybody who may see an agent may know of it: never its instructions. */
export function summarizeAgent(agent: Agent): AgentSummary {
  let summary = summaries.get(agent);
  if (summary === undefined) {
    summary = { ...fieldsOf(agent), subAgents: agent.subAgents.map(fieldsOf), isTelemetryEnabled: false };
    Object.freeze(summary);
    summaries.set(agent, summary);
  }
  return summary;
}

function fieldsOf({ description, id, modelName, name, tools }: Agent): AgentSummary['subAgents'][number] {
  return {
    id,
    name,
    description,
    status: 'idle',
    model: modelName,
    tools: tools.map((tool) => tool.name),
    memory: null,
  };
}
