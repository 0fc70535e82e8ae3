import { createStep } from '../definition/create-step.ts';
import type { Flow } from '../definition/step-context.ts';
import type { Step } from '../definition/step.ts';
import { decideOn } from '../runtime/step/ask-author.ts';
import { acceptMaxIterations, type LoopOptions, nextIteration } from './loop.ts';

/** Repeats a step on its own output until the condition is true for that output, which is then the output of the loop. */
export function andDoUntil<In, F extends Flow = Flow>(options: LoopOptions<In, F>): Step<In, In, F> {
  const { condition, step } = options;
  const maxIterations = acceptMaxIterations(options);
  return createStep('andDoUntil', options, {
    steps: [step],
    run: async (run, data) => {
      let output = data;
      let isDone = false;
      for (let item = 0; !isDone; item += 1) {
        output = await nextIteration(run, output, { item, maxIterations, step });
        isDone = await decideOn(run, `condition-${item}`, output, condition);
      }
      return output;
    },
  });
}
