import { setTimeout as delay } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { type Plan, planAnswer } from './plan.ts';
import { wordsOf } from './words.ts';

export interface DemoModelOptions {
  /** Milliseconds before each word; default 15. */
  readonly delayMs?: number;
  /** What `tomorrow` is reckoned from; default: now. */
  readonly today?: () => Date;
}

/**
 * A model without a network, for trying things out. It picks the tool whose description fits the message, fills that tool's schema
 * from the words of the message, and tells of the result. It says plainly that it is a demo.
 */
export function demoModel({ delayMs = 15, today = () => new Date() }: DemoModelOptions = {}): LanguageModelV4 {
  let calls = 0;
  const nextId = (): string => {
    calls += 1;
    return `demo-${Date.now().toString(36)}-${calls}`;
  };

  return {
    specificationVersion: 'v4',
    provider: 'halyard-demo',
    modelId: 'demo',
    supportedUrls: {},

    async doGenerate(options) {
      options.abortSignal?.throwIfAborted();
      const plan = planAnswer(options, today());
      return {
        content: contentOf(plan, nextId),
        finishReason: finishReasonOf(plan),
        usage: usageOf(options, plan),
        warnings: [],
      };
    },

    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      const plan = planAnswer(options, today());
      const parts = partsOf(plan, options, { delayMs, nextId });
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        async pull(controller) {
          try {
            const { done, value } = await parts.next();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            controller.error(error);
          }
        },
        async cancel() {
          await parts.return();
        },
      });
      return { stream };
    },
  };
}

async function* partsOf(
  plan: Plan,
  options: LanguageModelV4CallOptions,
  { delayMs, nextId }: { readonly delayMs: number; readonly nextId: () => string },
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const { abortSignal: signal } = options;
  yield { type: 'stream-start', warnings: [] };
  if (plan.kind === 'say') {
    yield { type: 'text-start', id: 'text' };
    for (const delta of plan.text.match(/\s*\S+/g) ?? []) {
      if (delayMs > 0) await delay(delayMs, undefined, { signal });
      signal?.throwIfAborted();
      yield { type: 'text-delta', id: 'text', delta };
    }
    yield { type: 'text-end', id: 'text' };
  } else {
    const id = nextId();
    const input = JSON.stringify(plan.input);
    yield { type: 'tool-input-start', id, toolName: plan.toolName };
    yield { type: 'tool-input-delta', id, delta: input };
    yield { type: 'tool-input-end', id };
    yield { type: 'tool-call', toolCallId: id, toolName: plan.toolName, input };
  }
  yield { type: 'finish', finishReason: finishReasonOf(plan), usage: usageOf(options, plan) };
}

function contentOf(plan: Plan, nextId: () => string): LanguageModelV4Content[] {
  if (plan.kind === 'say') return [{ type: 'text', text: plan.text }];
  return [{ type: 'tool-call', toolCallId: nextId(), toolName: plan.toolName, input: JSON.stringify(plan.input) }];
}

function finishReasonOf({ kind }: Plan): { unified: 'stop' | 'tool-calls'; raw: undefined } {
  return { unified: kind === 'say' ? 'stop' : 'tool-calls', raw: undefined };
}

/** Words stand in for tokens. */
function usageOf({ prompt }: LanguageModelV4CallOptions, plan: Plan): LanguageModelV4Usage {
  const total = wordsOf(JSON.stringify(prompt.map(({ content }) => content))).length;
  const output = wordsOf(plan.kind === 'say' ? plan.text : JSON.stringify(plan.input)).length;
  return {
    inputTokens: { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}
