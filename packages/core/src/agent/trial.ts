import { InvalidInputError } from '@halyard/contracts';
import type { LanguageModel } from '../model/messages/message.ts';
import { providerName } from '../model/providers/provider-name.ts';
import type { JsonSchema } from '../schema/schema.ts';
import type { PricedCall } from '../telemetry/add-cost.ts';
import { createTool } from '../tool/create-tool.ts';
import type { Tool } from '../tool/tool.ts';
import { Agent } from './agent.ts';
import type { TextResult } from './run-result.ts';

/** A tool as a model sees it. */
export interface TrialTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
}

export interface TrialOptions {
  /** Default: those of the agent. */
  readonly instructions?: string | undefined;
  /** Default: that of the agent. */
  readonly model?: LanguageModel | undefined;
  readonly tools: readonly TrialTool[];
}

/**
 * An agent for one model call with other instructions, tools or another model. It has the guardrails,
 * retries and limits of `agent`, and counts as it. It has no memory, and runs no tool: its result
 * contains the calls that the model proposes.
 *
 * @throws InvalidInputError for two tools of one name
 */
export function createTrial(agent: Agent, { instructions, model, tools }: TrialOptions): Agent {
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) throw new InvalidInputError('Two tools have the same name');
  const { headers, providerOptions } = agent.settings;
  return new Agent({
    id: agent.id,
    name: agent.name,
    instructions: instructions ?? agent.instructions,
    model: model ?? agent.model,
    providers: agent.providers,
    tools: tools.map(toProposedTool),
    memory: false,
    processors: agent.processors,
    maxSteps: 1,
    // They can contain secrets for the provider of the agent's own model.
    generation: model === undefined ? { headers, providerOptions } : {},
    retries: agent.retries,
    timeouts: agent.timeouts,
    messageMetadata: false,
  });
}

/** The call of a trial, for its cost. Undefined if no model was called. */
export function pricedTrial({ steps, usage }: TextResult, time: number): PricedCall | undefined {
  const model = steps[0]?.model;
  return (
    model && {
      provider: providerName(model.provider),
      model: model.modelId,
      inputTokens: usage.promptTokens,
      cachedInputTokens: usage.cachedInputTokens,
      outputTokens: usage.completionTokens,
      time,
    }
  );
}

/** Its arguments are not validated: they are only shown. */
function toProposedTool({ description = '', inputSchema, name }: TrialTool): Tool {
  const tool = createTool({ name, description, input: { type: 'object' } });
  return {
    ...tool,
    input: { jsonSchema: inputSchema, isClosed: false, validate: (value) => ({ ok: true, value }) },
  };
}
