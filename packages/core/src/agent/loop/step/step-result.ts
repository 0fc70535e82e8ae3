import type { AssistantPart, ToolPrompt } from '../../../model/providers/model-port.ts';
import type { ProviderMetadata } from '../../agent-event.ts';
import { type GeneratedFile, toGeneratedFile } from '../../generated-file.ts';
import type { ReasoningResult, StepResult, ToolCallResult, ToolOutputResult } from '../../run-result.ts';
import { inputInPrompt } from '../../tools/input-of-call.ts';
import type { CallOutcome } from '../../tools/run-call.ts';
import { toToolCallFlags } from '../../tools/tool-call-flags.ts';
import type { PlannedCall } from '../../tools/tool-call.ts';
import type { Run, RunDependencies } from '../run.ts';
import type { StepOutcome } from './step-reader.ts';

type ContentOf<Type extends AssistantPart['type']> = Extract<AssistantPart, { readonly type: Type }>;

/** The outcome of a step. */
export interface EndedStep {
  readonly stepNumber: number;
  readonly outcome: StepOutcome;
  readonly planned: readonly PlannedCall[];
  readonly outcomes: readonly CallOutcome[];
  /** Calls of sub-agents that wait for approvals. */
  readonly waiting: readonly ToolCallResult[];
  /** The results of the calls for the model. */
  readonly toolContent: ToolPrompt['content'];
  readonly finishReason: StepResult['finishReason'];
  /** Whether a call needs a person or the client. */
  readonly isWaiting: boolean;
}

/** A step as the result of the run has it. */
export function toStepResult(
  run: Run,
  { finishReason, outcome, outcomes, planned, stepNumber, waiting }: EndedStep,
): StepResult {
  const { content, modelId, provider, rawFinishReason, responseId, responseModelId, sources = [] } = outcome;
  const { providerMetadata, text, timestamp, usage, warnings = [] } = outcome;
  const reasoning = run.dependencies.outputProcessors.length > 0 ? [] : toReasoning(content);
  return {
    stepNumber,
    model: { provider, modelId },
    text,
    reasoning,
    reasoningText: reasoningText(reasoning),
    files: content.flatMap((part) => (part.type === 'file' ? toFile(part) : [])),
    sources,
    toolCalls: [...toCalls(run.dependencies, outcome, planned), ...waiting],
    toolResults: [...providerResults(run, content), ...ownResults(content, outcomes)],
    finishReason,
    rawFinishReason,
    usage,
    warnings,
    response: {
      ...(responseId !== undefined && { id: responseId }),
      modelId: responseModelId ?? modelId,
      timestamp: new Date(timestamp),
    },
    providerMetadata,
  };
}

function toReasoning(content: readonly AssistantPart[]): readonly ReasoningResult[] {
  return content.flatMap((part): readonly ReasoningResult[] => {
    if (part.type === 'reasoning') return [{ type: part.type, text: part.text, ...toMetadata(part) }];
    return part.type === 'reasoning-file'
      ? toFile(part).map((file) => ({ type: part.type, file, ...toMetadata(part) }))
      : [];
  });
}

/** The texts of the reasoning; undefined without any. */
export function reasoningText(reasoning: readonly ReasoningResult[]): string | undefined {
  const text = reasoning.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  return text === '' ? undefined : text;
}

/** The reader of the step has encoded files that are not at a URL. */
function toFile({ data, mediaType, providerOptions }: ContentOf<'file' | 'reasoning-file'>): readonly GeneratedFile[] {
  if (data.type === 'url') return [toGeneratedFile(mediaType, String(data.url), providerOptions)];
  if (data.type !== 'data') return [];
  return [toGeneratedFile(mediaType, `data:${mediaType};base64,${String(data.data)}`, providerOptions)];
}

function toCalls(
  dependencies: RunDependencies,
  { approvals = [], content }: StepOutcome,
  planned: readonly PlannedCall[],
): readonly ToolCallResult[] {
  return content.flatMap((part): readonly ToolCallResult[] => {
    if (part.type !== 'tool-call') return [];
    const { input, providerExecuted, toolCallId, toolName } = part;
    const shown = { ...toToolCallFlags(dependencies, toolName), ...toMetadata(part) };
    if (providerExecuted === true) {
      const approval = approvals.find((asked) => asked.toolCallId === toolCallId);
      return [
        {
          toolCallId,
          toolName,
          input,
          providerExecuted,
          ...shown,
          ...(approval && { approvalId: approval.approvalId }),
        },
      ];
    }
    const plan = planned.find(({ call }) => call.toolCallId === toolCallId);
    return plan === undefined ? [] : [{ ...plan.call, ...(plan.kind === 'refuse' && { invalid: true }), ...shown }];
  });
}

function providerResults(run: Run, content: readonly AssistantPart[]): readonly ToolOutputResult[] {
  return content.flatMap((part): readonly ToolOutputResult[] => {
    if (part.type !== 'tool-result' || (part.output.type !== 'json' && part.output.type !== 'text')) return [];
    const { output, toolCallId, toolName } = part;
    const { dynamic } = toToolCallFlags(run.dependencies, toolName);
    return [
      {
        toolCallId,
        toolName,
        input: callIn(content, toolCallId)?.input ?? inputInPrompt(run.conversation.prompt, toolCallId),
        output: output.value,
        providerExecuted: true,
        ...(dynamic && { dynamic }),
        ...toMetadata(part),
      },
    ];
  });
}

/** Results of tools that this process ran. They have the metadata of their calls. */
function ownResults(content: readonly AssistantPart[], outcomes: readonly CallOutcome[]): readonly ToolOutputResult[] {
  return outcomes.flatMap(({ result }) => {
    if (result === undefined) return [];
    const call = callIn(content, result.toolCallId);
    return [{ ...result, ...(call && toMetadata(call)) }];
  });
}

function callIn(content: readonly AssistantPart[], toolCallId: string): ContentOf<'tool-call'> | undefined {
  return content.find(
    (part): part is ContentOf<'tool-call'> => part.type === 'tool-call' && part.toolCallId === toolCallId,
  );
}

function toMetadata({
  providerOptions,
}: {
  readonly providerOptions?: ProviderMetadata | undefined;
}): { readonly providerMetadata: ProviderMetadata } | undefined {
  return providerOptions && { providerMetadata: providerOptions };
}
