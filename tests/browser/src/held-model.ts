import type { ScriptedModel } from '@halyard/core/testing';

type Part = Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/** A model whose answers of more than ten pieces stop there until the test releases them, however slow the page is. */
export function heldModel(model: ScriptedModel): { readonly model: ScriptedModel; readonly release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const held: ScriptedModel = {
    ...model,
    doStream: async (options) => {
      let pieces = 0;
      const hold = new TransformStream<Part, Part>({
        transform: async (part, controller) => {
          if (part.type === 'text-delta') pieces += 1;
          if (pieces > 10) await released;
          controller.enqueue(part);
        },
      });
      const { stream, ...others } = await model.doStream(options);
      return { ...others, stream: stream.pipeThrough(hold) };
    },
  };
  return { model: held, release };
}
