import type { Attributes } from '@halyard/contracts';
import type { Agent } from '../../agent/agent.ts';
import type { Usage } from '../../agent/usage.ts';
import type { Prompt } from '../../model/providers/model-port.ts';
import { replyContent, finishReasons, promptContent } from './prompt-content.ts';

/** The details of a run so far. Prompt and reply are set only where content is recorded. */
export interface RunDetails {
  readonly agent: Agent;
  readonly operation: string;
  runId?: string;
  /** Of the reply, where the run stores it in its conversation. */
  messageId?: string;
  prompt?: Prompt;
  reply?: string;
  usage?: Usage;
  finishReason?: string | undefined;
}

export function runAttributes(
  agentId: string,
  conversationId: string | undefined,
  userId: string | undefined,
): Attributes {
  return {
    'entity.type': 'agent',
    'entity.id': agentId,
    ...(conversationId !== undefined && { 'gen_ai.conversation.id': conversationId }),
    ...(userId !== undefined && { 'user.id': userId }),
  };
}

export function describeRun({
  agent,
  reply,
  finishReason,
  messageId,
  operation,
  prompt,
  runId,
  usage,
}: RunDetails): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': agent.id,
    'gen_ai.agent.name': agent.name,
    'gen_ai.request.model': agent.modelName,
    'halyard.operation': operation,
    ...(runId !== undefined && { 'halyard.run.id': runId }),
    ...(messageId !== undefined && { 'halyard.message.id': messageId }),
    ...(usage && usageAttributes(usage)),
    ...finishReasons(finishReason),
    ...(prompt && promptContent(prompt)),
    ...(reply !== undefined && replyContent([{ type: 'text', text: reply }], finishReason)),
  };
}

/**
 * The number of cached and of reasoning tokens is left out where it is 0: providers that do not
 * count them report nothing.
 */
export function usageAttributes(usage: Usage): Attributes {
  const { cachedInputTokens, completionTokens, promptTokens, reasoningTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': completionTokens,
    ...(cachedInputTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cachedInputTokens }),
    ...(reasoningTokens > 0 && { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
  };
}
