import { ConfigurationError } from '@halyard/contracts';
import { type ToolOutputs, toToolOutputs } from '../model/prompt/to-model-messages.ts';
import type { ModelTool } from '../model/providers/model-port.ts';
import type { Collection } from '../tool/collection.ts';
import { isProviderTool, providerToolName, runnableProviderTool, toModelProviderTool } from '../tool/provider-tool.ts';
import { type Tool, toModelTool } from '../tool/tool.ts';
import { type ToolsOption, toToolList } from '../tool/tools-option.ts';
import { toAgentList } from './agent-list.ts';
import type { Agent } from './agent.ts';

/** The tools of an agent: of all its runs, or of one where they depend on the run. */
export interface AgentTools {
  /**
   * The agent's own tools, without those that call its sub-agents, and those that a provider
   * defines.
   */
  readonly tools: readonly Tool[];
  readonly subAgents: readonly Agent[];
  /** All tools, as models receive them. */
  readonly modelTools: readonly ModelTool[];
  /** How tools turn their outputs into what the model reads. */
  readonly toolOutputs: ToolOutputs;
  /** Finds a tool that models may call, those that call sub-agents included. */
  find(name: string): Tool | undefined;
  /** Whether the provider that runs this tool may send the result in a later step than the call. */
  defersResults(toolName: string): boolean;
}

/** @throws ConfigurationError for anything that is no tool or agent, and two tools of one name. */
export function collectAgentTools(
  agentId: string,
  toolsOption: ToolsOption | undefined,
  subAgentsOption: Collection<Agent> | undefined,
): AgentTools {
  const given = toToolList(toolsOption, `\`tools\` of agent "${agentId}"`);
  const ofProviders = given.filter(isProviderTool);
  const runnable = ofProviders.filter(({ isProviderExecuted }) => !isProviderExecuted).map(runnableProviderTool);
  const tools = given.filter((tool): tool is Tool => !isProviderTool(tool));
  const subAgents = toAgentList(subAgentsOption, `\`subAgents\` of agent "${agentId}"`);
  const all = [...tools, ...subAgents.map((agent) => agent.toTool())];
  const byName = new Map([...all, ...runnable].map((tool) => [tool.name, tool]));
  const modelTools = [...all.map(toModelTool), ...ofProviders.map(toModelProviderTool)];
  checkNames(agentId, modelTools);
  const deferring = new Set(
    ofProviders.filter(({ supportsDeferredResults }) => supportsDeferredResults).map(providerToolName),
  );
  return {
    tools,
    subAgents,
    modelTools,
    toolOutputs: toToolOutputs(all),
    find: (name) => byName.get(name),
    defersResults: (toolName) => deferring.has(toolName),
  };
}

function checkNames(agent: string, tools: readonly ModelTool[]): void {
  const known = new Set<string>();
  for (const { name } of tools) {
    if (known.has(name)) throw new ConfigurationError(`Agent "${agent}" has two tools named "${name}"`);
    known.add(name);
  }
}
