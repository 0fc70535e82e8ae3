import type { Attributes, PackReader, PackWriter, SpanDetails } from '@halyard/contracts';
import type { SentSettings } from '../../agent/generation-options.ts';
import type { StepOutcome } from '../../agent/run/step-reader.ts';
import type { Prompt, ResolvedModel } from '../../model/model-port.ts';
import { packParts, packPrompt, unpackParts, unpackPrompt } from '../pack-prompt.ts';
import { answerContent, type Part, promptContent } from './prompt-content.ts';
import { numberOrNone, usageAttributes } from './run.ts';

/** What the span of a model call says. */
export class ModelCallDetails implements SpanDetails {
  readonly #model: ResolvedModel | undefined;
  readonly #step: number;
  readonly #settings: SentSettings;
  readonly #conversationId: string | undefined;
  readonly #prompt: Prompt | undefined;
  readonly #promptLength: number;
  #finishReason: string | undefined = undefined;
  #modelId: string | undefined = undefined;
  #promptTokens: number | undefined = undefined;
  #completionTokens = 0;
  #answer: readonly Part[] | undefined = undefined;

  /** @param prompt may grow, but what it has now stays; undefined where content is not recorded. */
  constructor(
    model: ResolvedModel | undefined,
    step: number,
    settings: SentSettings,
    conversationId: string | undefined,
    prompt: Prompt | undefined,
  ) {
    this.#model = model;
    this.#step = step;
    this.#settings = settings;
    this.#conversationId = conversationId;
    this.#prompt = prompt;
    this.#promptLength = prompt?.length ?? 0;
  }

  ended({ content, finishReason, modelId, usage }: StepOutcome): void {
    this.#finishReason = finishReason;
    this.#modelId = modelId;
    this.#promptTokens = usage.promptTokens;
    this.#completionTokens = usage.completionTokens;
    if (this.#prompt !== undefined) this.#answer = content;
  }

  toAttributes(): Attributes {
    const settings = this.#settings;
    return {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(this.#model?.provider),
      'gen_ai.request.model': this.#model?.modelId ?? 'unknown',
      'halyard.step': this.#step,
      ...(this.#conversationId !== undefined && { 'gen_ai.conversation.id': this.#conversationId }),
      'gen_ai.request.temperature': settings.temperature,
      'gen_ai.request.max_tokens': settings.maxOutputTokens,
      'gen_ai.request.top_p': settings.topP,
      'gen_ai.request.frequency_penalty': settings.frequencyPenalty,
      'gen_ai.request.presence_penalty': settings.presencePenalty,
      'gen_ai.request.seed': settings.seed,
      'gen_ai.request.stop_sequences': settings.stopSequences,
      ...usageAttributes(this.#promptTokens, this.#completionTokens),
      ...(this.#modelId !== undefined && { 'gen_ai.response.model': this.#modelId }),
      ...(this.#finishReason !== undefined && { 'gen_ai.response.finish_reasons': [this.#finishReason] }),
    };
  }

  toContent(): Attributes | undefined {
    if (this.#prompt === undefined) return undefined;
    return {
      ...promptContent(this.#prompt, this.#promptLength),
      ...(this.#answer !== undefined && answerContent(this.#answer, this.#finishReason ?? 'unknown')),
    };
  }

  pack(to: PackWriter): void {
    to.shared(this.#model);
    to.integer(this.#step);
    to.shared(this.#settings);
    to.held(this.#conversationId);
    packPrompt(this.#prompt, this.#promptLength, to);
    to.shared(this.#finishReason);
    to.shared(this.#modelId);
    to.number(this.#promptTokens ?? Number.NaN);
    to.number(this.#completionTokens);
    packParts(this.#answer, to);
  }

  get unpack(): typeof ModelCallDetails.unpack {
    return ModelCallDetails.unpack;
  }

  static readonly unpack = (from: PackReader): ModelCallDetails => {
    const details = new ModelCallDetails(from.shared(), from.integer(), from.shared(), from.held(), unpackPrompt(from));
    details.#finishReason = from.shared();
    details.#modelId = from.shared();
    details.#promptTokens = numberOrNone(from.number());
    details.#completionTokens = from.number();
    details.#answer = unpackParts(from);
    return details;
  };
}

/** `openai.responses` → `openai`. */
function providerName(provider = 'unknown'): string {
  const dot = provider.indexOf('.');
  return dot > 0 ? provider.slice(0, dot) : provider;
}
