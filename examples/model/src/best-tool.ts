import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { type FilledSchema, fillSchema } from './fill-schema.ts';
import { isObject, listOf, objectOf, stringsOf } from './json.ts';
import { stemsOf, synonymsOf, wordsOf } from './words.ts';

/** A tool and how well it matches a message. */
export interface ScoredTool {
  readonly tool: LanguageModelV4FunctionTool;
  /** The similarity of the words of message and tool. */
  readonly match: number;
  /** The input from the words of the message; undefined if no valid input was found. */
  readonly filled: FilledSchema | undefined;
  /** Whether its input is a task in natural language, so that the whole message is its input. */
  readonly takesWhole: boolean;
}

/** The tool that matches a message best; undefined if no tool reaches `least`. */
export function bestTool(
  tools: readonly LanguageModelV4FunctionTool[],
  message: string,
  { least, today }: { readonly least: number; readonly today: Date },
): ScoredTool | undefined {
  // An arithmetic expression matches a calculator without any further word.
  const sum = /(\d)\s*(?:[+*/×÷^]|(?<=\s)(?:-|x|times)(?=\s))\s*\(?(\d)/giu;
  const stems = stemsOf(message.slice(0, 4000).replaceAll(sum, '$1 calculate $2'));
  const implied = new Set([...stems].flatMap(synonymsOf));
  const lexicons = tools.map(lexiconOf);
  const matches = lexicons.map((lexicon, index) => {
    const name = tools[index]?.name ?? '';
    const isNamed = message.includes(name) && wordsOf(name).length > 1;
    const shared = matchOf(lexicon, stems, lexicons) + matchOf(lexicon, implied.difference(stems), lexicons) * 0.8;
    return shared + (isNamed ? 5 : 0);
  });
  const most = Math.max(...matches);
  const [best] = tools
    .map((tool, index) => ({ tool, match: matches[index] ?? 0 }))
    // A better input can compensate for at most this difference.
    .filter(({ match }) => match >= least && match > most - 1)
    .map(({ tool, match }) => ({ tool, match, ...inputFor(tool, message, today) }))
    .toSorted((a, b) => b.match + fitOf(b) - a.match - fitOf(a));
  return best;
}

function inputFor(
  tool: LanguageModelV4FunctionTool,
  message: string,
  today: Date,
): Pick<ScoredTool, 'filled' | 'takesWhole'> {
  const parameter = wholeParameter(tool);
  if (parameter !== undefined) return { filled: { value: { [parameter]: message }, evidence: 2 }, takesWhole: true };
  const subject = `${tool.name} ${tool.description ?? ''}`;
  return { filled: fillSchema(tool.inputSchema, message, { today, subject }), takesWhole: false };
}

/** How well the message provides the tool's input. It decides between tools with the same words: `note: buy milk` adds a note, `my notes` lists them. */
function fitOf({ filled, tool }: ScoredTool): number {
  if (filled === undefined) return -2;
  if (filled.evidence > 0) return Math.min(filled.evidence, 6) / 10 + 0.1;
  return stringsOf(tool.inputSchema.required).length > 0 ? -0.5 : 0;
}

/** The weight of each stem: highest for the name, lower for the description, lowest for parameters. */
function lexiconOf({ name, description = '', inputSchema }: LanguageModelV4FunctionTool): ReadonlyMap<string, number> {
  const lexicon = new Map<string, number>();
  const add = (text: string, worth: number): void => {
    for (const stem of stemsOf(text))
      lexicon.set(stem, Math.max(lexicon.get(stem) ?? 0, vague.has(stem) ? worth / 2 : worth));
  };
  add(parameterWords(inputSchema, 0), 0.7);
  add(description.slice(0, 2000), 2);
  add(name, 3);
  return lexicon;
}

/** Words that occur in many descriptions and do not identify a tool. */
const vague = stemsOf(
  'current currently given return information info data list find lookup search get fetch show value item items result results user task agent ask answer people thing things new',
);

function matchOf(
  lexicon: ReadonlyMap<string, number>,
  stems: ReadonlySet<string>,
  all: readonly ReadonlyMap<string, number>[],
): number {
  let sum = 0;
  for (const stem of stems) {
    const worth = lexicon.get(stem);
    if (worth === undefined) continue;
    // Words shared by many of the tools do not distinguish them.
    const sharing = all.filter((other) => (other.get(stem) ?? 0) >= 2).length;
    sum += worth * (sharing > 3 ? 0.7 : 1);
  }
  return sum;
}

function parameterWords(schema: unknown, depth: number): string {
  if (!isObject(schema) || depth > 3) return '';
  const properties = Object.entries(objectOf(schema['properties']));
  const own = [schema['description'], ...listOf(schema['enum'])].filter((text) => typeof text === 'string');
  return [...own, ...properties.map(([key, part]) => `${key} ${parameterWords(part, depth + 1)}`)]
    .join(' ')
    .slice(0, 2000);
}

/** The only parameter of a tool whose input is a task in natural language. */
function wholeParameter({ inputSchema }: LanguageModelV4FunctionTool): string | undefined {
  const [[name, part] = [], ...others] = Object.entries(objectOf(inputSchema.properties));
  if (name === undefined || others.length > 0 || !isObject(part) || part['type'] !== 'string') return undefined;
  const isPlain = Object.keys(part).every((key) => ['type', 'description', 'title'].includes(key));
  return isPlain && /^(?:task|message|prompt|question|request|instructions?|input)$/iu.test(name) ? name : undefined;
}
