import type { Attributes, PackReader, PackWriter, SpanDetails } from '@halyard/contracts';
import type { Agent } from '../../agent/agent.ts';
import type { Usage } from '../../agent/usage.ts';
import type { Prompt } from '../../model/model-port.ts';
import { packPrompt, unpackPrompt } from '../pack-prompt.ts';
import { answerContent, promptContent } from './prompt-content.ts';

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
  #prompt: Prompt | undefined = undefined;
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
    this.#prompt = prompt;
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
      ...(this.#answer !== undefined &&
        answerContent([{ type: 'text', text: this.#answer }], this.#finishReason ?? 'unknown')),
    };
  }

  pack(to: PackWriter): void {
    to.shared(this.#agent);
    to.shared(this.#operation);
    to.held(this.#conversationId);
    to.held(this.#owner);
    to.text(this.#runId);
    to.number(this.#promptTokens ?? Number.NaN);
    to.number(this.#completionTokens);
    to.shared(this.#finishReason);
    packPrompt(this.#prompt, this.#promptLength, to);
    to.text(this.#answer);
  }

  get unpack(): typeof RunDetails.unpack {
    return RunDetails.unpack;
  }

  static readonly unpack = (from: PackReader): RunDetails => {
    const details = new RunDetails(from.shared(), from.shared(), from.held(), from.held());
    details.#runId = from.text();
    details.#promptTokens = numberOrNone(from.number());
    details.#completionTokens = from.number();
    details.#finishReason = from.shared();
    details.#prompt = unpackPrompt(from);
    details.#promptLength = details.#prompt?.length ?? 0;
    details.#answer = from.text();
    return details;
  };
}

/** What was written as `NaN` where there was none. */
export function numberOrNone(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** @param promptTokens undefined while nothing has ended. */
export function usageAttributes(promptTokens: number | undefined, completionTokens: number): Attributes | undefined {
  if (promptTokens === undefined) return undefined;
  return { 'gen_ai.usage.input_tokens': promptTokens, 'gen_ai.usage.output_tokens': completionTokens };
}
