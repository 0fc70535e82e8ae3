import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { answerText, deltas, historyLength, prompts, tokensPerCall, weatherCall } from './workload.ts';

/** A model without latency, so that the cost of a request is the cost of the app. */
export const scriptedModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},

  async doGenerate(options) {
    const question = lastQuestion(options);
    if (question === prompts.tool) {
      return { content: [toolCall()], finishReason: finish('tool-calls'), usage: usage(), warnings: [] };
    }
    const isHistoryMissing = question === prompts.remembered && options.prompt.length <= historyLength;
    return {
      content: [{ type: 'text', text: isHistoryMissing ? 'What did I say before?' : answerText }],
      finishReason: finish('stop'),
      usage: usage(),
      warnings: [],
    };
  },

  async doStream(options) {
    const question = lastQuestion(options);
    if (question === prompts.tool)
      return { stream: readyAtOnce([{ type: 'stream-start', warnings: [] }, toolCall(), end('tool-calls')]) };
    if (question === prompts.burst) return { stream: readyAtOnce([...head(), ...deltas.map(delta), ...tail()]) };
    return { stream: onePerTurn() };
  },
};

/** The text of the last message if it is the user's; undefined if it is a tool result. */
function lastQuestion({ prompt }: LanguageModelV4CallOptions): string | undefined {
  const last = prompt.at(-1);
  const part = last?.role === 'user' ? last.content[0] : undefined;
  return part?.type === 'text' ? part.text : undefined;
}

function readyAtOnce(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** Each pull produces one delta, so the model stops when its reader stops. */
function onePerTurn(): ReadableStream<LanguageModelV4StreamPart> {
  let next = 0;
  return new ReadableStream({
    pull: (controller) =>
      new Promise((resolve) => {
        setImmediate(() => {
          if (next === 0) for (const part of head()) controller.enqueue(part);
          controller.enqueue(delta(deltas[next] ?? ''));
          next += 1;
          if (next === deltas.length) {
            for (const part of tail()) controller.enqueue(part);
            controller.close();
          }
          resolve();
        });
      }),
  });
}

// Parts are new objects in each call, as with a provider, because consumers may store or change
// them.

function head(): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '0' },
  ];
}

function delta(text: string): LanguageModelV4StreamPart {
  return { type: 'text-delta', id: '0', delta: text };
}

function tail(): LanguageModelV4StreamPart[] {
  return [{ type: 'text-end', id: '0' }, end('stop')];
}

function end(reason: 'stop' | 'tool-calls'): LanguageModelV4StreamPart {
  return { type: 'finish', finishReason: finish(reason), usage: usage() };
}

function toolCall(): { type: 'tool-call'; toolCallId: string; toolName: string; input: string } {
  return { type: 'tool-call', ...weatherCall, input: JSON.stringify(weatherCall.input) };
}

function finish(unified: 'stop' | 'tool-calls'): LanguageModelV4FinishReason {
  return { unified, raw: unified };
}

function usage(): LanguageModelV4Usage {
  const { input, output } = tokensPerCall;
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}
