import type { ModelMessage } from '../../model/messages/message.ts';
import type { ModelWarning, ToolPrompt } from '../../model/providers/model-port.ts';
import type { FinishReason } from '../agent-event.ts';
import { notStoredWarning } from '../not-stored.ts';
import type { StepResult, TextResult, ToolCallResult, ToolOutputResult } from '../run-result.ts';
import type { EndedCalls } from '../tools/run-call.ts';
import type { Usage } from '../usage.ts';
import type { Run, RunDependencies } from './run.ts';
import type { StepOutcome } from './step/step-reader.ts';
import { type EndedStep, toStepResult } from './step/step-result.ts';

/** Adds up the steps of a run. */
export class RunTally {
  readonly #steps: StepResult[] = [];
  /** Of calls to which the request of the run responds. */
  readonly #approved: ToolOutputResult[] = [];
  /** Calls of sub-agents that wait again after a response. */
  readonly #waiting: ToolCallResult[] = [];
  readonly #messages: ModelMessage[] = [];

  get steps(): readonly StepResult[] {
    return this.#steps;
  }

  get responseMessages(): readonly ModelMessage[] {
    return this.#messages;
  }

  addApproved({ outcomes, waiting }: EndedCalls): void {
    for (const { result } of outcomes) if (result !== undefined) this.#approved.push(result);
    this.#addToolMessage(outcomes.map(({ prompt }) => prompt));
    this.#waiting.push(...waiting);
    if (waiting.length > 0) this.#messages.push({ role: 'assistant', content: waiting.map(toCallPart) });
  }

  addStep(run: Run, step: EndedStep): void {
    const { outcome, toolContent, waiting } = step;
    this.#steps.push(toStepResult(run, step));
    const content = [...outcome.content, ...waiting.map(toCallPart)];
    if (content.length > 0) this.#messages.push({ role: 'assistant', content });
    this.#addToolMessage(toolContent);
  }

  /** Removes the message of the last step, whose reply was rejected. */
  dropMessage(): void {
    this.#messages.pop();
  }

  result({ dependencies, identity }: Run, finishReason: FinishReason, usage: Usage): TextResult {
    const { conversationId } = identity;
    const steps = this.#steps;
    const last = steps.at(-1);
    return {
      text: last?.text ?? '',
      fullText: steps
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .join('\n\n'),
      steps,
      responseMessages:
        dependencies.outputProcessors.length > 0 ? this.#messages.map(withoutUnchecked) : this.#messages,
      reasoning: last?.reasoning ?? [],
      reasoningText: last?.reasoningText,
      files: steps.flatMap(({ files }) => files),
      sources: steps.flatMap(({ sources }) => sources),
      toolCalls: [...this.#waiting, ...steps.flatMap(({ toolCalls }) => toolCalls)],
      toolResults: [...this.#approved, ...steps.flatMap(({ toolResults }) => toolResults)],
      finishReason,
      rawFinishReason: last?.rawFinishReason,
      usage,
      warnings: [...notStored(dependencies, conversationId), ...steps.flatMap(({ warnings }) => warnings)],
      response: last?.response,
      providerMetadata: last?.providerMetadata,
      ...(conversationId !== undefined && { conversationId }),
    };
  }

  #addToolMessage(content: ToolPrompt['content']): void {
    if (content.length > 0) this.#messages.push({ role: 'tool', content });
  }
}

/** A client repeats the call with its response. Models do not read it. */
function toCallPart({ input, providerMetadata, toolCallId, toolName }: ToolCallResult): CallPart {
  // It is JSON.
  const providerOptions = providerMetadata as CallPart['providerOptions'];
  return { type: 'tool-call', toolCallId, toolName, input, ...(providerOptions && { providerOptions }) };
}

type CallPart = Extract<StepOutcome['content'][number], { type: 'tool-call' }>;

function notStored({ agent, services }: RunDependencies, conversationId: string | undefined): readonly ModelWarning[] {
  const message = notStoredWarning(agent, services, conversationId);
  return message === undefined ? [] : [{ type: 'other', message }];
}

/** Output processors cannot check reasoning and the provider's own parts. */
function withoutUnchecked(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const content = message.content.filter(
    ({ type }) => type !== 'reasoning' && type !== 'reasoning-file' && type !== 'custom',
  );
  return { ...message, content };
}
