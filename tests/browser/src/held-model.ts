import type { LanguageModel } from '@halyard/core';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

export interface HeldModel {
  readonly model: Model;
  /** Until it is called for the first time. */
  readonly asked: Promise<void>;
  readonly release: () => void;
}

/**
 * A model whose streamed answers stop after `shown` pieces of text until the test releases them,
 * however slow the page is.
 */
export function heldModel(model: Model, shown = 10): HeldModel {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const held: Model = {
    ...model,
    doStream: async (options) => {
      const { abortSignal } = options;
      ask();
      const aborted = new Promise<void>((resolve) => abortSignal?.addEventListener('abort', () => resolve()));
      let pieces = 0;
      const hold = new TransformStream<Part, Part>({
        transform: async (part, controller) => {
          if (part.type === 'text-delta') pieces += 1;
          if (pieces > shown) await Promise.race([released, aborted]);
          abortSignal?.throwIfAborted();
          controller.enqueue(part);
        },
      });
      const { stream, ...others } = await model.doStream(options);
      return { ...others, stream: stream.pipeThrough(hold) };
    },
  };
  return { model: held, asked, release };
}
