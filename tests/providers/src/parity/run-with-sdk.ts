import { generateText, isLoopFinished, isStepCount, type ModelMessage, streamText } from 'ai';
import { type OutputName, sdkOutputs } from './outputs.ts';
import type { AskTurn, ScriptRun } from './run-script.ts';
import { eventOfSdk, failureOf, objectOfSdk, resultFields, resultOfSdk, type SharedEvent } from './shared-form.ts';
import { sdkTools } from './tools.ts';

/**
 * Runs a script with `generateText` or `streamText`. Each turn sends the messages of the earlier
 * ones again.
 */
export function runWithSdk({
  script,
  mode,
  model,
  providerOptions,
  providerTools,
  signal,
  onToolCall,
  onEvent,
}: ScriptRun): AskTurn {
  const messages: ModelMessage[] = [];
  return async (user) => {
    messages.push({ role: 'user', content: typeof user === 'string' ? user : [...user] });
    const settings = {
      ...script.settings,
      ...script.loop,
      // The name in the oldest supported version.
      experimental_repairToolCall: script.loop?.repairToolCall,
      model,
      messages,
      providerOptions,
      abortSignal: signal,
      maxRetries: script.maxRetries ?? 0,
      stopWhen: [isStepCount(script.maxSteps ?? 5), script.loop?.stopWhen ?? isLoopFinished()],
      ...(script.instructions !== undefined && { instructions: script.instructions }),
      tools: { ...sdkTools(script.tools ?? [], onToolCall), ...providerTools },
    };
    let failure: unknown;
    try {
      if (script.output !== undefined) return await askForOutput(script.output, mode, settings, onEvent);
      if (mode === 'generate') {
        const result = await generateText(settings);
        messages.push(...result.responseMessages);
        return resultOfSdk(await fieldsOf(result));
      }
      const result = streamText({ ...settings, onError: ({ error }) => void (failure ??= error) });
      for await (const part of result.stream) onEvent(eventOfSdk({ ...part }));
      if (failure !== undefined) return failureOf(failure);
      messages.push(...(await result.responseMessages));
      return resultOfSdk(await fieldsOf(result));
    } catch (error) {
      return failureOf(failure ?? error);
    }
  };
}

async function askForOutput(
  name: OutputName,
  mode: ScriptRun['mode'],
  settings: Parameters<typeof generateText>[0],
  onEvent: ScriptRun['onEvent'],
): Promise<SharedEvent> {
  const asked = { ...settings, output: sdkOutputs[name] };
  const result = mode === 'generate' ? await generateText(asked) : streamText(asked);
  if (name === 'people' && 'elementStream' in result)
    for await (const element of result.elementStream) onEvent({ type: 'element', element });
  return objectOfSdk(await fieldsOf(result, ['output', 'finishReason', 'totalUsage']));
}

/** The fields of both kinds of results: those of a stream are promises. */
async function fieldsOf(
  result: object,
  names: readonly string[] = [...resultFields, 'totalUsage', 'steps'],
): Promise<SharedEvent> {
  const values = await Promise.all(names.map((name): unknown => Reflect.get(result, name)));
  return Object.fromEntries(names.map((name, index) => [name, fieldValue(values[index])]));
}

/** Steps have their fields as getters. */
function fieldValue(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) =>
    item instanceof Object && 'toolCalls' in item
      ? Object.fromEntries([...resultFields, 'usage'].map((name) => [name, Reflect.get(item, name)]))
      : item,
  );
}
