import { AbortedError, InvalidInputError, TimeLimitError, ToolFailedError } from '@halyard/contracts';
import type { Tool, ToolContext } from './tool.ts';

/**
 * Runs a tool on input that was validated, under its time limit. Settles as soon as the signal or the limit says so, even when
 * the tool ignores its own signal.
 *
 * @throws TimeLimitError, AbortedError, {@link ToolFailedError} when the result does not fit the tool's output schema, and whatever the tool throws.
 */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: Omit<ToolContext, 'signal' | 'toolName'> & { readonly signal: AbortSignal },
  limitMs: number,
): Promise<unknown> {
  const { signal } = context;
  if (signal.aborted) throw new AbortedError({ cause: signal.reason });

  const controller = new AbortController();
  let stop: (reason: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const halt = (error: Error): void => {
    stop(error);
    controller.abort(error);
  };
  const onAbort = (): void => halt(new AbortedError({ cause: signal.reason }));
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => halt(new TimeLimitError(`Tool "${tool.name}"`, limitMs)), limitMs);

  try {
    const work = Promise.resolve(tool.execute(input, { ...context, toolName: tool.name, signal: controller.signal }));
    return await checkedOutput(tool, await Promise.race([work, stopped]));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Input as the tool's schema accepts it.
 *
 * @throws InvalidInputError naming the field, its path starting with `at`.
 */
export async function acceptToolInput(tool: Tool, input: unknown, at: string): Promise<unknown> {
  const result = await tool.input.validate(input, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value;
}

async function checkedOutput(tool: Tool, output: unknown): Promise<unknown> {
  if (tool.output === undefined) return output;
  const result = await tool.output.validate(output, 'output');
  if (result.ok) return result.value;
  throw new ToolFailedError(tool.name, { cause: new InvalidInputError(result.message) });
}
