import { ConfigurationError, NotFoundError } from '@halyard/contracts';
import type { Agent } from '../agent/agent.ts';
import type { Tool } from '../tool/tool.ts';

/** A tool and the agents that may call it. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly agents: readonly Agent[];
}

/** What one server serves. Built once; there is no global one. */
export interface Registry {
  readonly agents: readonly Agent[];
  readonly tools: readonly RegisteredTool[];
  /** @throws NotFoundError */
  getAgent(id: string): Agent;
  /** @throws NotFoundError */
  getTool(name: string): RegisteredTool;
}

export interface RegistryOptions {
  readonly agents?: readonly Agent[];
  /** Tools that can be run directly, whether an agent has them or not. */
  readonly tools?: readonly Tool[];
}

/** @throws ConfigurationError when two agents share an id, or two different tools a name. */
export function createRegistry({ agents = [], tools = [] }: RegistryOptions): Registry {
  const agentsById = new Map<string, Agent>();
  const toolsByName = new Map<string, { readonly tool: Tool; readonly agents: Agent[] }>();
  const register = (tool: Tool): Agent[] => {
    const known = toolsByName.get(tool.name);
    if (known === undefined) {
      const users: Agent[] = [];
      toolsByName.set(tool.name, { tool, agents: users });
      return users;
    }
    if (known.tool !== tool)
      throw new ConfigurationError(
        `Two different tools are named "${tool.name}": rename one, or register the same tool with both agents`,
      );
    return known.agents;
  };

  for (const tool of tools) register(tool);
  for (const agent of agents) {
    if (agentsById.has(agent.id)) throw new ConfigurationError(`Two agents have the id "${agent.id}"`);
    agentsById.set(agent.id, agent);
    for (const tool of agent.tools) register(tool).push(agent);
  }

  return {
    agents,
    tools: [...toolsByName.values()],
    getAgent: (id) => agentsById.get(id) ?? missing('agent', id),
    getTool: (name) => toolsByName.get(name) ?? missing('tool', name),
  };
}

function missing(noun: string, id: string): never {
  throw new NotFoundError(noun, id);
}
