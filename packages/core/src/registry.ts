import { ConfigurationError, NotFoundError } from '@halyard/contracts';
import { toAgentList } from './agent/agent-list.ts';
import type { Agent } from './agent/agent.ts';
import { type AccessLevel, stricterAccess } from './tool/access-level.ts';
import { type Collection, toNamedItems } from './tool/collection.ts';
import { isProviderTool, type ProviderTool, providerToolName } from './tool/provider-tool.ts';
import type { Tool } from './tool/tool.ts';
import { type ToolsOption, toToolList } from './tool/tools-option.ts';
import { byId } from './workflow/definition/by-id.ts';
import type { AnyStep } from './workflow/definition/step.ts';
import type { WorkflowDefinition } from './workflow/definition/workflow-definition.ts';

/** A tool and the agents that may call it. */
export interface RegisteredTool {
  /**
   * What the API calls it: its name; or `agent/tool` for a tool of an agent, where another tool
   * has the same name.
   */
  readonly name: string;
  readonly tool: Tool;
  /** That of the tool; where the name tells its agent, that of the agent if it is stricter. */
  readonly access: AccessLevel;
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
  /** Finds a tool by the name of a {@link RegisteredTool}, or by `agent/tool`. */
  findTool(name: string): RegisteredTool | undefined;
  /** {@link Registry.findTool}. @throws NotFoundError */
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
 * @throws ConfigurationError when two agents or two workflows share an id, or two different tools of
 * the server a name, and for an option that is neither a list nor a record of its things.
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
  const { listed, find } = registerTools(tools, agents);

  return {
    agents,
    allAgents: [...new Set([...agents, ...workflows.flatMap(({ steps }) => steps.flatMap(agentsIn))])],
    tools: listed,
    workflows,
    getAgent: (id) => agentsById.get(id) ?? missing('agent', id),
    getWorkflow: (id) => workflowsById.get(id) ?? missing('workflow', id),
    findTool: find,
    getTool: (name) => find(name) ?? missing('tool', name),
  };
}

interface RegisteredTools {
  readonly listed: readonly RegisteredTool[];
  readonly find: (name: string) => RegisteredTool | undefined;
}

/** Tools of the server keep their names. Agents may have different tools of one name. */
function registerTools(ofServer: readonly Tool[], agents: readonly Agent[]): RegisteredTools {
  const names = new Map<string, Tool>();
  for (const tool of ofServer) {
    const known = names.get(tool.name) ?? tool;
    if (known !== tool)
      throw new ConfigurationError(`Two different tools of the server are named "${tool.name}": rename one`);
    names.set(tool.name, tool);
  }
  const ofAgents = agents.flatMap((agent) => agent.tools.map((tool) => ({ agent, tool })));
  const shared = new Set<string>();
  for (const { tool } of ofAgents) {
    const known = names.get(tool.name) ?? tool;
    if (known !== tool) shared.add(tool.name);
    else names.set(tool.name, tool);
  }

  const registered = (name: string, tool: Tool, access: AccessLevel) => ({ name, tool, access, agents: [] as Agent[] });
  const listed = new Map<string, ReturnType<typeof registered>>();
  const byAgent = new Map<string, RegisteredTool>();
  for (const tool of ofServer) listed.set(tool.name, registered(tool.name, tool, tool.access));
  for (const { agent, tool } of ofAgents) {
    const path = `${agent.id}/${tool.name}`;
    const keepsName = !shared.has(tool.name) || listed.get(tool.name)?.tool === tool;
    const byPath = registered(path, tool, stricterAccess(tool.access, agent.access));
    const entry = keepsName ? (listed.get(tool.name) ?? registered(tool.name, tool, tool.access)) : byPath;
    entry.agents.push(agent);
    listed.set(entry.name, entry);
    byAgent.set(path, byPath);
  }
  return { listed: [...listed.values()], find: (name) => listed.get(name) ?? byAgent.get(name) };
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
