import type { Attributes } from '@halyard/contracts';
import type { SentSettings } from '../../agent/generation-options.ts';
import type { StepOutcome } from '../../agent/loop/step/step-reader.ts';
import type { ModelTool, Prompt, ResolvedModel } from '../../model/providers/model-port.ts';
import { providerName } from '../../model/providers/provider-name.ts';
import { boundedText } from './bounded-json.ts';
import { replyContent, finishReasons, promptContent } from './prompt-content.ts';

export interface RecordedModelCall {
  readonly model: ResolvedModel | undefined;
  /** Undefined for a call that is no step of the run. */
  readonly step: number | undefined;
  readonly settings: SentSettings;
  readonly tools: readonly ModelTool[];
  /** Undefined where content is not recorded. */
  readonly prompt: Prompt | undefined;
}

/** Attributes that stores count and that costs are computed from are never lazy. */
export function modelCallAttributes(call: {
  readonly agentId: string;
  readonly modelId: string | undefined;
  readonly provider: string | undefined;
  readonly conversationId: string | undefined;
  readonly workflowId: string | undefined;
}): Attributes {
  const { agentId, conversationId, modelId, provider, workflowId } = call;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': modelId ?? 'unknown',
    'gen_ai.provider.name': providerName(provider),
    'gen_ai.agent.id': agentId,
    ...(conversationId !== undefined && { 'gen_ai.conversation.id': conversationId }),
    ...(workflowId !== undefined && { 'halyard.workflow.id': workflowId }),
  };
}

/** The outcome of a model call in its span. */
export interface RecordedReply extends Pick<StepOutcome, 'finishReason' | 'modelId' | 'responseId'> {
  /** Undefined where content is not recorded. */
  readonly content: StepOutcome['content'] | undefined;
}

/** @param reply undefined while the model is called. */
export function describeModelCall(
  { prompt, settings, step, tools }: RecordedModelCall,
  reply?: RecordedReply,
): Attributes {
  return {
    'halyard.step': step,
    'gen_ai.request.temperature': settings.temperature,
    'gen_ai.request.max_tokens': settings.maxOutputTokens,
    'gen_ai.request.top_p': settings.topP,
    'gen_ai.request.top_k': settings.topK,
    'gen_ai.request.frequency_penalty': settings.frequencyPenalty,
    'gen_ai.request.presence_penalty': settings.presencePenalty,
    'gen_ai.request.seed': settings.seed,
    ...(reply && responseAttributes(reply)),
    ...(prompt && {
      'gen_ai.request.stop_sequences': settings.stopSequences,
      ...promptContent(prompt),
      ...(tools.length > 0 && { 'gen_ai.tool.definitions': boundedText(tools.map(toolDefinition)) }),
      ...(reply?.content && replyContent(reply.content, reply.finishReason)),
    }),
  };
}

function responseAttributes({ finishReason, modelId, responseId }: RecordedReply): Attributes {
  return {
    'gen_ai.response.model': modelId,
    ...(responseId !== undefined && { 'gen_ai.response.id': responseId }),
    ...finishReasons(finishReason),
  };
}

/**
 * Without the arguments of a provider's tool: they may contain secrets of the app, such as the
 * credentials for an MCP server.
 */
function toolDefinition(tool: ModelTool): object {
  if (tool.type === 'provider') return { type: tool.type, id: tool.id, name: tool.name };
  const { description, name, type } = tool;
  const parameters: unknown = tool.inputSchema;
  return { type, name, ...(description !== undefined && { description }), parameters };
}
