import { AbortedError, HalyardError, InvalidInputError, TimeLimitError, ToolFailedError } from '@halyard/contracts';
import { abortable } from '../async/abortable.ts';
import { longestTimerMs } from '../async/longest-timer.ts';
import { NotJsonError, toJson } from '../json/to-json.ts';
import type { JSONValue } from '../model/providers/model-port.ts';
import { isTooDeep, maxArgumentDepth } from './argument-depth.ts';
import { writerToNobody } from './tool-data.ts';
import type { Tool, ToolContext } from './tool.ts';

/**
 * Called with each value that a generator yields. Returns a promise while the consumer is behind.
 */
export type OnPreliminary = (output: JSONValue) => Promise<void> | undefined;

/**
 * The context of a call without the name of the tool. Without a writer, nobody receives the tool's
 * data.
 */
export type CallContext = Omit<ToolContext, 'toolName' | 'writer'> & Partial<Pick<ToolContext, 'writer'>>;

/**
 * Runs a tool on validated input, under its time limit, and returns its result as JSON. Rejects as
 * soon as the signal aborts or the limit is exceeded, even when the tool ignores its own signal.
 * The result of an async generator is the last value that it yields.
 *
 * @throws TimeLimitError, AbortedError, an error of code `TOOL_FAILED` when the result is not JSON
 * (a BigInt, a Map, a Set, a function, a symbol, a cycle) or does not fit the tool's output schema,
 * and whatever the tool throws.
 */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: CallContext,
  limitMs: number,
  onPreliminary?: OnPreliminary,
): Promise<JSONValue> {
  const { signal } = context;
  if (signal.aborted) throw new AbortedError({ cause: signal.reason });

  const controller = new AbortController();
  const onAbort = (): void => controller.abort(new AbortedError({ cause: signal.reason }));
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(
    () => controller.abort(new TimeLimitError(`Tool "${tool.name}"`, limitMs)),
    Math.min(limitMs, longestTimerMs),
  );
  try {
    const { writer = writerToNobody(tool.name) } = context;
    const given = { ...context, writer, toolName: tool.name, signal: controller.signal };
    const work = Promise.resolve(tool.execute(input, given)).then((returned) =>
      isAsyncIterable(returned) ? readLast(tool, returned, controller.signal, onPreliminary) : returned,
    );
    return await checkedOutput(tool, await abortable(work, controller.signal));
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
  if (isTooDeep(input)) throw new InvalidInputError(`${at} is nested deeper than ${maxArgumentDepth} levels`);
  const result = await tool.input.validate(input, at);
  if (!result.ok) throw new InvalidInputError(result.message);
  return result.value;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function readLast(
  { name }: Tool,
  values: AsyncIterable<unknown>,
  signal: AbortSignal,
  onPreliminary: OnPreliminary | undefined,
): Promise<unknown> {
  let last: unknown;
  for await (const value of values) {
    if (signal.aborted) break;
    last = value;
    await onPreliminary?.(jsonOutput(name, value));
  }
  return last;
}

async function checkedOutput(tool: Tool, returned: unknown): Promise<JSONValue> {
  const output = jsonOutput(tool.name, returned);
  if (tool.output === undefined) return output;
  const result = await tool.output.validate(output, 'output');
  if (result.ok) return result.value === output ? output : jsonOutput(tool.name, result.value);
  throw new ToolFailedError(tool.name, { cause: new InvalidInputError(result.message) });
}

/** The output of a tool as JSON, the same for model, client and journal. */
function jsonOutput(toolName: string, output: unknown): JSONValue {
  try {
    return toJson(output);
  } catch (error) {
    const why =
      error instanceof NotJsonError
        ? `${error.message}, which is not JSON`
        : 'something that cannot be written as JSON';
    throw new HalyardError('failed', 'TOOL_FAILED', `Tool "${toolName}" returned ${why}`, { cause: error });
  }
}
