import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { fillSchema } from './fill-schema.ts';
import { isObject } from './json.ts';
import { stemsOf, synonymsOf } from './words.ts';

export type Picked =
  | { readonly kind: 'call'; readonly toolName: string; readonly input: unknown }
  /** The tool fits, but the message does not say what it needs. */
  | { readonly kind: 'ask'; readonly toolName: string; readonly missing: readonly string[] };

export interface PickOptions {
  readonly today: Date;
  readonly choice: LanguageModelV4CallOptions['toolChoice'];
}

/** The tool that fits the message best, with its input; undefined when none fits and none is required. */
export function pickTool(
  tools: readonly LanguageModelV4FunctionTool[],
  message: string,
  { choice, today }: PickOptions,
): Picked | undefined {
  const open = choice?.type === 'tool' ? tools.filter(({ name }) => name === choice.toolName) : tools;
  const isRequired = choice?.type === 'tool' || choice?.type === 'required';
  const said = new Set([...stemsOf(message)].flatMap((stem) => [stem, ...synonymsOf(stem)]));
  const ranked = open
    .map((tool) => ({ tool, score: fit(tool, said) }))
    .filter(({ score }) => isRequired || score > 0)
    .toSorted((a, b) => b.score - a.score);
  const best = ranked
    .filter(({ score }) => score === ranked[0]?.score)
    .map(({ tool }) => plan(tool, message, today, isRequired));
  return best.find(({ kind }) => kind === 'call') ?? best[0];
}

function plan(best: LanguageModelV4FunctionTool, message: string, today: Date, isRequired: boolean): Picked {
  const parameter = wordsParameter(best);
  if (parameter !== undefined) return { kind: 'call', toolName: best.name, input: { [parameter]: message } };
  const filled = fillSchema(best.inputSchema, message, { today, subject: `${best.name} ${best.description ?? ''}` });
  const needed = requiredOf(best);
  if (filled === undefined || (needed.length > 0 && filled.evidence <= 0 && !isRequired))
    return { kind: 'ask', toolName: best.name, missing: needed };
  return { kind: 'call', toolName: best.name, input: filled.value };
}

/** A word of the name says more than one of the description, and that more than one of a parameter. */
function fit({ description = '', inputSchema, name }: LanguageModelV4FunctionTool, said: ReadonlySet<string>): number {
  const shared = (text: string): number => [...stemsOf(text)].filter((stem) => said.has(stem)).length;
  const properties = isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  return shared(name) * 3 + shared(description) * 2 + shared(properties.join(' ')) * 0.5;
}

/** A tool that takes a task in words: what the person said is the task. */
function wordsParameter({ inputSchema }: LanguageModelV4FunctionTool): string | undefined {
  const properties = isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const [only] = properties;
  return properties.length === 1 && only !== undefined && /^(task|message|prompt|question|request)$/.test(only)
    ? only
    : undefined;
}

function requiredOf({ inputSchema }: LanguageModelV4FunctionTool): readonly string[] {
  return Array.isArray(inputSchema.required) ? inputSchema.required.map(String) : [];
}
