import type { ToolOutputToConvert } from '../model/prompt/to-model-messages.ts';
import { plainOutput, promptOutput } from '../model/prompt/tool-output.ts';
import type { JSONValue, ToolResultOutput } from '../model/providers/model-port.ts';
import type { Tool } from './tool.ts';

/** A tool's output in the form that models receive: a text, JSON, an error, or texts and files. */
export type OutputForModel = ToolResultOutput;

/**
 * The output as a model receives it: as `toModelOutput` makes it, else a text or JSON. Files at a
 * URL are not fetched.
 *
 * @throws what `toModelOutput` throws, and InvalidInputError for a file without data and URL.
 */
export async function outputForModel(
  { toModelOutput }: Pick<Tool, 'toModelOutput'>,
  call: ToolOutputToConvert & { readonly output: JSONValue },
): Promise<OutputForModel> {
  const made = await toModelOutput?.(call);
  return made === undefined
    ? plainOutput(call.output)
    : promptOutput(made, async (url) => ({ passedOn: new URL(url) }));
}
