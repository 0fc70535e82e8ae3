import { APICallError } from '@ai-sdk/provider';
import type { LanguageModel } from '@halyard/core';
import { createScriptedModel, type FixedClock, type ScriptedReply } from '@halyard/core/testing';
import type { AgentId } from '../agents.ts';
import type { Random } from './random.ts';
import type { Answer, ModelFailure, Script } from './script.ts';

interface ModelOfThePast {
  readonly provider: string;
  readonly modelId: string;
  /** Milliseconds until its first token, and for each one. */
  readonly firstMs: number;
  readonly tokenMs: number;
}

const models: Readonly<Record<'fast' | 'mini' | 'haiku' | 'sonnet' | 'large', ModelOfThePast>> = {
  fast: { provider: 'openai', modelId: 'gpt-5-nano', firstMs: 350, tokenMs: 6 },
  mini: { provider: 'openai', modelId: 'gpt-5-mini', firstMs: 600, tokenMs: 11 },
  haiku: { provider: 'anthropic', modelId: 'claude-haiku-4-5', firstMs: 480, tokenMs: 9 },
  sonnet: { provider: 'anthropic', modelId: 'claude-sonnet-4-5', firstMs: 1_100, tokenMs: 17 },
  large: { provider: 'openai', modelId: 'gpt-5', firstMs: 2_200, tokenMs: 24 },
};

/**
 * The models of the history: they say what the script of the run says, and take their time on the
 * clock of the history.
 */
export class HistoryModels {
  readonly #clock: FixedClock;
  readonly #random: Random;
  #script: Script = { answers: {} };
  #answers = new Map<AgentId, readonly Answer[]>();
  #isMail = false;

  constructor(clock: FixedClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Starts a run. */
  play(script: Script, { isMail = false } = {}): void {
    this.#script = script;
    this.#answers = new Map();
    this.#isMail = isMail;
  }

  /** The id of the refund that the run starts. */
  get refundId(): string | undefined {
    return this.#script.refund;
  }

  /** A model for one run of an agent. */
  modelOf(agent: AgentId): LanguageModel {
    const { firstMs, modelId, provider, tokenMs } = models[this.#kindFor(agent)];
    const turn: ScriptedReply = (call) => {
      const prompt = JSON.stringify(call.prompt);
      const answer = this.#titleOrLetter(prompt) ?? this.#nextAnswer(agent);
      const outputTokens = Math.ceil(((answer.text ?? '') + JSON.stringify(answer.calls ?? '')).length / 3.6) + 12;
      const inputTokens = Math.ceil(prompt.length / 4) + Math.ceil(JSON.stringify(call.tools ?? []).length / 4);
      this.#clock.advance(Math.round(this.#random.around(firstMs + outputTokens * tokenMs, 0.5)));
      if (answer.failure !== undefined) {
        if (answer.failure === 'timed-out') this.#clock.advance(this.#random.between(25_000, 60_000));
        return { error: errorFor(answer.failure, provider, modelId) };
      }
      const cachedInputTokens = this.#random.chance(0.45) ? Math.floor((inputTokens * 0.7) / 128) * 128 : 0;
      return {
        ...(answer.text !== undefined && { text: answer.text }),
        ...(answer.calls !== undefined && {
          toolCalls: answer.calls.map((each) => ({
            ...each,
            toolCallId: `call_${this.#random.next().toString(36).slice(2, 14)}`,
          })),
        }),
        usage: { inputTokens, outputTokens, cachedInputTokens },
      };
    };
    return { ...createScriptedModel([turn], { modelId }), provider };
  }

  /** Replies to requests beside the conversation: its title, and the letter of a refund. */
  #titleOrLetter(prompt: string): Answer | undefined {
    if (prompt.includes('Name the topic of this conversation')) return { text: this.#script.title ?? 'A question' };
    const [, name, orderId] = /Write one sentence to (\p{L}+)[^:]*:.*for order (K-1\d{3})/u.exec(prompt) ?? [];
    if (name === undefined) return undefined;
    return {
      text: `Dear ${name}, the money for order ${orderId} is on its way, and your bank will show it in three to five days.`,
    };
  }

  #kindFor(agent: AgentId): keyof typeof models {
    if (this.#isMail) return 'fast';
    if (agent === 'front-desk' || agent === 'writer') return 'mini';
    if (agent === 'orders') return 'haiku';
    return this.#random.chance(0.7) ? 'sonnet' : 'large';
  }

  #nextAnswer(agent: AgentId): Answer {
    const [answer, ...rest] = this.#answers.get(agent) ?? this.#script.answers[agent] ?? [];
    this.#answers.set(agent, rest);
    return answer ?? { text: 'Is there anything else that I can do for you?' };
  }
}

/** As the packages of the providers report it. */
function errorFor(failure: ModelFailure, provider: string, modelId: string): APICallError {
  const [statusCode, message] = {
    overloaded: [529, 'Overloaded'],
    'rate-limited': [429, `Rate limit reached for ${modelId}: 200000 tokens per minute`],
    'timed-out': [504, 'The upstream request timed out'],
    filtered: [400, 'The request was rejected by the content policy'],
  }[failure] as [number, string];
  return new APICallError({
    message,
    url: `https://api.${provider}.com/v1/${provider === 'openai' ? 'responses' : 'messages'}`,
    requestBodyValues: {},
    statusCode,
    isRetryable: statusCode !== 400,
  });
}
