import { createStep } from '../definition/create-step.ts';
import type { Flow } from '../definition/step-context.ts';
import type { Step } from '../definition/step.ts';
import { decideOn } from '../runtime/step/ask-author.ts';
import { acceptMaxIterations, type LoopOptions, nextIteration } from './loop.ts';

/** Repeats a step on its own output while the condition is true for that output. The output of the loop is the last one. */
export function andDoWhile<In, F extends Flow = Flow>(options: LoopOptions<In, F>): Step<In, In, F> {
  const { condition, step } = options;
  const maxIterations = acceptMaxIterations(options);
  return createStep('andDoWhile', options, {
    steps: [step],
    run: async (run, data) => {
      let output = data;
      let again = true;
      for (let item = 0; again; item += 1) {
        output = await nextIteration(run, output, { item, maxIterations, step });
        again = await decideOn(run, `condition-${item}`, output, condition);
      }
      return output;
    },
  });
}
