import type { Attributes, SpanDetails } from '@halyard/contracts';
import type { Prompt } from '../model/model-port.ts';
import { answerContent, type HeldPrompt, holdPrompt, promptBytes, promptContent } from '../telemetry/prompt-content.ts';
import type { Agent } from './agent.ts';
import type { Usage } from './usage.ts';

/** What the span of a run says. It holds what the run has put together anyway. */
export class RunDetails implements SpanDetails {
  readonly #agent: Agent;
  readonly #operation: string;
  readonly #conversationId: string | undefined;
  readonly #owner: string | undefined;
  #runId: string | undefined = undefined;
  #promptTokens: number | undefined = undefined;
  #completionTokens = 0;
  #finishReason: string | undefined = undefined;
  #prompt: HeldPrompt | undefined = undefined;
  #promptLength = 0;
  #answer: string | undefined = undefined;

  constructor(agent: Agent, operation: string, conversationId: string | undefined, owner: string | undefined) {
    this.#agent = agent;
    this.#operation = operation;
    this.#conversationId = conversationId;
    this.#owner = owner;
  }

  named(runId: string): void {
    this.#runId = runId;
  }

  /** @param prompt may grow, but what it has now stays. */
  asked(prompt: Prompt): void {
    this.#prompt = holdPrompt(prompt);
    this.#promptLength = prompt.length;
  }

  answered(text: string): void {
    this.#answer = text;
  }

  ended({ completionTokens, promptTokens }: Usage, finishReason: string | undefined): void {
    this.#promptTokens = promptTokens;
    this.#completionTokens = completionTokens;
    this.#finishReason = finishReason;
  }

  toAttributes(): Attributes {
    const agent = this.#agent;
    return {
      'entity.type': 'agent',
      'entity.id': agent.id,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agent.id,
      'gen_ai.agent.name': agent.name,
      'gen_ai.request.model': agent.modelName,
      'halyard.operation': this.#operation,
      ...(this.#conversationId !== undefined && { 'gen_ai.conversation.id': this.#conversationId }),
      ...(this.#owner !== undefined && { 'user.id': this.#owner }),
      ...(this.#runId !== undefined && { 'halyard.run.id': this.#runId }),
      ...usageAttributes(this.#promptTokens, this.#completionTokens),
      ...(this.#finishReason !== undefined && { 'gen_ai.response.finish_reasons': [this.#finishReason] }),
    };
  }

  toContent(): Attributes | undefined {
    return {
      ...(this.#prompt && promptContent(this.#prompt, this.#promptLength)),
      ...(this.#answer !== undefined && answerContent(this.#answer, this.#finishReason ?? 'unknown')),
    };
  }

  get contentBytes(): number {
    const asked = this.#prompt === undefined ? 0 : promptBytes(this.#prompt, this.#promptLength);
    return asked + (this.#answer?.length ?? 0);
  }
}

/** @param promptTokens undefined while nothing has ended. */
export function usageAttributes(promptTokens: number | undefined, completionTokens: number): Attributes | undefined {
  if (promptTokens === undefined) return undefined;
  return { 'gen_ai.usage.input_tokens': promptTokens, 'gen_ai.usage.output_tokens': completionTokens };
}
