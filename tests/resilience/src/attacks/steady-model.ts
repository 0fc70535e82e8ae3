import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModel } from '@halyard/core';

export interface Pace {
  /** How many deltas an answer has. */
  readonly pieces: number;
  /** Milliseconds before each of them. */
  readonly pieceDelayMs: number;
}

/** A model that always answers the same, and retains nothing of its calls. */
export function steadyModel({ pieceDelayMs, pieces }: Pace): LanguageModel {
  const usage = {
    inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: pieces, text: undefined, reasoning: undefined },
  };
  const finishReason = { unified: 'stop', raw: undefined } as const;
  return {
    specificationVersion: 'v4',
    provider: 'attacks',
    modelId: 'steady',
    supportedUrls: {},
    async doGenerate({ abortSignal }) {
      await delay(pieces * pieceDelayMs, undefined, { signal: abortSignal });
      return { content: [{ type: 'text', text: 'sail '.repeat(pieces) }], finishReason, usage, warnings: [] };
    },
    doStream({ abortSignal }) {
      let sent = 0;
      const stream = new ReadableStream(
        {
          async pull(controller) {
            if (sent === 0) controller.enqueue({ type: 'text-start', id: '0' });
            await delay(pieceDelayMs, undefined, { signal: abortSignal });
            controller.enqueue({ type: 'text-delta', id: '0', delta: 'sail ' });
            sent += 1;
            if (sent < pieces) return;
            controller.enqueue({ type: 'text-end', id: '0' });
            controller.enqueue({ type: 'finish', finishReason, usage });
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      return Promise.resolve({ stream });
    },
  };
}
