import { ConfigurationError, NotFoundError } from '@halyard/contracts';
import { toAgentList } from './agent/agent-list.ts';
import type { Agent } from './agent/agent.ts';
import { type Collection, toNamedItems } from './tool/collection.ts';
import { isProviderTool, type ProviderTool, providerToolName } from './tool/provider-tool.ts';
import type { Tool } from './tool/tool.ts';
import { type ToolsOption, toToolList } from './tool/tools-option.ts';
import { byId } from './workflow/definition/by-id.ts';
import type { AnyStep } from './workflow/definition/step.ts';
import type { WorkflowDefinition } from './workflow/definition/workflow-definition.ts';

/** A tool and the agents that may call it. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly agents: readonly Agent[];
}

/** The agents, tools and workflows of one server. */
export interface Registry {
  readonly agents: readonly Agent[];
  /** The agents, and those that only workflows run; each once. */
  readonly allAgents: readonly Agent[];
  readonly tools: readonly RegisteredTool[];
  readonly workflows: readonly WorkflowDefinition[];
  /** @throws NotFoundError */
  getAgent(id: string): Agent;
  /** @throws NotFoundError */
  getTool(name: string): RegisteredTool;
  /** @throws NotFoundError */
  getWorkflow(id: string): WorkflowDefinition;
}

export interface RegistryOptions<
  Agents extends Collection<Agent> = Collection<Agent>,
  Tools extends ToolsOption = ToolsOption,
  Workflows extends Collection<WorkflowDefinition> = Collection<WorkflowDefinition>,
> {
  readonly agents?: Agents | undefined;
  /** Tools that can be called directly, in addition to those of the agents. */
  readonly tools?: Tools | undefined;
  readonly workflows?: Workflows | undefined;
}

/**
 * @throws ConfigurationError when two agents or two workflows share an id, or two different tools a
 * name, and for an option that is neither a list nor a record of its things.
 */
export function createRegistry(options: RegistryOptions): Registry {
  const agents = toAgentList(options.agents, 'The option `agents`');
  const tools = toToolList(options.tools, 'The option `tools`').map(runnableTool);
  const workflows = toNamedItems(options.workflows, {
    owner: 'The option `workflows`',
    noun: 'workflow',
    isItem: (value) => typeof value === 'object' && value !== null && 'steps' in value && 'index' in value,
  }).map(([, workflow]) => workflow);
  const agentsById = byId('agents', agents);
  const workflowsById = byId('workflows', workflows);
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
    for (const tool of agent.tools) register(tool).push(agent);
  }

  return {
    agents,
    allAgents: [...new Set([...agents, ...workflows.flatMap(({ steps }) => steps.flatMap(agentsIn))])],
    tools: [...toolsByName.values()],
    workflows,
    getAgent: (id) => agentsById.get(id) ?? missing('agent', id),
    getWorkflow: (id) => workflowsById.get(id) ?? missing('workflow', id),
    getTool: (name) => toolsByName.get(name) ?? missing('tool', name),
  };
}

function runnableTool(tool: Tool | ProviderTool): Tool {
  if (!isProviderTool(tool)) return tool;
  throw new ConfigurationError(
    `The server cannot run the tool "${providerToolName(tool)}" of a provider: pass it to an agent`,
  );
}

function agentsIn({ agent, steps, workflow }: AnyStep): readonly Agent[] {
  const inner = [...steps, ...(workflow?.steps ?? [])].flatMap(agentsIn);
  return agent === undefined ? inner : [agent, ...inner];
}

function missing(noun: string, id: string): never {
  throw new NotFoundError(noun, id);
}
