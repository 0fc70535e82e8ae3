import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { InvalidInputError } from '@halyard/contracts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolSet } from 'ai';
import type { InputUIMessage, ModelMessage } from '../messages/message.ts';
import type { JSONValue } from '../providers/model-port.ts';
import { ChangedInputs } from './changed-input.ts';
import { withoutCut } from './cut-step.ts';
import { delegatingCalls } from './delegated-calls.ts';
import { plainOutput, type ToolModelOutput } from './tool-output.ts';

/** Tools that convert their outputs for a model, as the AI SDK's conversion takes them. */
export type ToolOutputs = ToolSet;

/** A tool call with its output, as `toModelOutput` receives it. */
export interface ToolOutputToConvert {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** Converts an output for the model; undefined: the output as it is. */
export type ToModelOutput = (
  given: ToolOutputToConvert,
) => ToolModelOutput | undefined | Promise<ToolModelOutput | undefined>;

/**
 * {@link ToolOutputs} of the tools that have `toModelOutput`. An old output that it cannot convert
 * is sent as it is.
 */
export function toToolOutputs(
  tools: readonly {
    readonly name: string;
    readonly toModelOutput: ToModelOutput | undefined;
  }[],
): ToolOutputs {
  const outputs: ToolOutputs = {};
  for (const { name, toModelOutput } of tools) {
    if (toModelOutput === undefined) continue;
    const convert = async (given: ToolOutputToConvert): Promise<ToolModelOutput> => {
      const converted = await Promise.resolve(given)
        .then(toModelOutput)
        .catch(() => undefined);
      return converted ?? plainOutput(given.output as JSONValue);
    };
    outputs[name] = { inputSchema: acceptedInput, toModelOutput: convert };
  }
  return outputs;
}

/** The input was validated before the call. */
const acceptedInput: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'halyard', validate: (value) => ({ value }) },
};

/**
 * How many messages are converted in one turn of the event loop, so that a body with thousands of
 * them does not delay other requests.
 */
const perTurn = 500;

/**
 * Converts UI messages (as `useChat` has them) to model messages, by the AI SDK's own conversion.
 * One by one: of several, it leaves out approval requests before a message of the user, although
 * the reasoning that led to them stays.
 *
 * @throws InvalidInputError for a message that it cannot convert.
 */
export async function toModelMessages(
  messages: readonly InputUIMessage[],
  tools: ToolOutputs = {},
): Promise<readonly ModelMessage[]> {
  const { convertToModelMessages } = await import('ai');
  try {
    const converted: ModelMessage[] = [];
    for (let from = 0; from < messages.length; from += perTurn) {
      if (messages.length > perTurn) await yieldToEventLoop();
      const some = messages.slice(from, from + perTurn).map(async (message) => {
        const changed = new ChangedInputs(message);
        const options = { tools: changed.forTools(tools) };
        return changed.addTo(await convertToModelMessages([readable(message)], options));
      });
      converted.push(...(await Promise.all(some)).flat());
    }
    return converted;
  } catch (error) {
    throw new InvalidInputError('body/input holds a UI message that cannot be read', { cause: error });
  }
}

function readable(message: InputUIMessage): InputUIMessage {
  if (message.role !== 'assistant') return message;
  return { ...message, parts: withoutNotes([...withoutCut(message.parts)]) };
}

/** The output of a call whose sub-agents wait is a note for people. */
function withoutNotes(parts: InputUIMessage['parts']): InputUIMessage['parts'] {
  const delegating = delegatingCalls(parts);
  if (delegating.size === 0) return parts;
  return parts.map((part) => {
    if (!('toolCallId' in part) || part.state !== 'output-available' || !delegating.has(part.toolCallId)) return part;
    const { output: _, ...call } = part;
    return { ...(call as object), state: 'input-available' } as (typeof parts)[number];
  });
}
