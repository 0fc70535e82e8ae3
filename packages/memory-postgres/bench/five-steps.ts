import { createWorkflow, type WorkflowRuntime } from '@halyard/core';

const anything = { type: 'object' } as const;
const step = (id: string) => ({ id, execute: async ({ data }: { data: object }) => ({ ...data, [id]: true }) });

/** A workflow of five trivial steps. */
export const workflow = createWorkflow({
  id: 'five',
  name: 'Five',
  purpose: 'Measures',
  input: anything,
  result: anything,
})
  .andThen(step('one'))
  .andThen(step('two'))
  .andThen(step('three'))
  .andThen(step('four'))
  .andThen(step('five'));

/** Runs executions for `forSeconds` seconds, `atOnce` at a time. */
export async function round(
  runtime: WorkflowRuntime,
  { atOnce, forSeconds }: { readonly atOnce: number; readonly forSeconds: number },
): Promise<{ executions: number; tookMs: number }> {
  const began = performance.now();
  const end = began + forSeconds * 1_000;
  let executions = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const { status } = await runtime.execute('five', { order: 7 }, {});
      if (status !== 'completed') throw new TypeError(`An execution is ${status}`);
      executions += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { executions, tookMs: performance.now() - began };
}
