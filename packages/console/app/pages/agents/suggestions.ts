import type { ToolSummary } from '../tools/tools-query.ts';
import type { AgentSummary } from './agents-query.ts';

/** A question that a person can send with one click. */
export interface Suggestion {
  readonly text: string;
  /** Whether it leads to a call that a person has to approve. */
  readonly needsApproval: boolean;
}

const most = 4;
const lastResort: Suggestion = { text: 'What can you do?', needsApproval: false };

/**
 * The questions that the agent suggests, else some that are made from its tools and those of its
 * sub-agents: first those for which the schema of the input contains examples, and as the last one
 * a call that needs an approval.
 */
export function suggestionsOf(
  { id, subAgents, suggestions }: Pick<AgentSummary, 'id' | 'subAgents' | 'suggestions'>,
  tools: readonly ToolSummary[],
): readonly Suggestion[] {
  if (suggestions.length > 0) return suggestions.slice(0, most).map((text) => ({ text, needsApproval: false }));
  const agentIds = new Set([id, ...subAgents.map((subAgent) => subAgent.id)]);
  const usable = tools.filter(
    ({ agents, clientSide }) => clientSide !== true && agents.some((agent) => agentIds.has(agent.id)),
  );
  const free = usable.filter(({ needsApproval }) => !needsApproval);
  const ready = free.filter(hasExamples);
  const chosen = [...ready, ...free.filter((tool) => !ready.includes(tool))].slice(0, most - 1);
  const asking = usable.find(({ needsApproval }) => needsApproval);
  const made = [...chosen, ...(asking === undefined ? [] : [asking])].map((tool) => ({
    text: toQuestion(tool),
    needsApproval: tool.needsApproval,
  }));
  return made.length < 2 ? [lastResort, ...made] : made;
}

type Described = Pick<ToolSummary, 'description' | 'inputSchema' | 'name'>;

/**
 * `Finds an order: item and price` with an example of an order becomes `Find order K-17`, `The time
 * in a time zone` becomes `Tell me the time in Asia/Tokyo`.
 */
export function toQuestion({ description, inputSchema, name }: Described): string {
  const words = toWords(name);
  const clause = firstClause(description) ?? words;
  return toRequest(withExamples(clause, inputSchema), words.split(' ')[0] ?? '');
}

const longest = 90;

function firstClause(description: string): string | undefined {
  const plain = description.trim().replace(/^(?:use this(?: tool)? to|(?:a|this) tool (?:that|to|for)|used to) /i, '');
  const clause = (/^.*?(?=[.:;\n(—]|, such as|$)/.exec(plain)?.[0] ?? '').trim();
  return clause === '' || clause.length > longest ? undefined : clause;
}

/** `findOrder`, `find_order` → `find order`. */
function toWords(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/[_.:-]+/g, ' ')
    .trim()
    .toLowerCase();
}

const determiners = /^(?:a|an|the|all|any|one|each|your|their|its|how|what|whether|which|up|down|out|for)$/i;

/** The clause as something that a person asks for. */
function toRequest(clause: string, verb: string): string {
  const [first = '', second = ''] = clause.split(' ');
  const stem = toStem(first);
  const isVerb = determiners.test(second) || stem === verb;
  if (stem !== undefined && isVerb) return capital(stem + clause.slice(first.length));
  if (first.endsWith(',') || first.toLowerCase() === verb || (isVerb && !determiners.test(first)))
    return capital(clause);
  const isName = /^.[A-Z]/.test(first);
  const rest = isName ? clause : clause.charAt(0).toLowerCase() + clause.slice(1);
  return `Tell me ${determiners.test(first) ? '' : 'the '}${rest}`;
}

/** `writes` → `write`, `searches` → `search`, `tries` → `try`; undefined for another form. */
function toStem(word: string): string | undefined {
  const lower = word.toLowerCase();
  if (!/[^su]s$/.test(lower)) return undefined;
  if (lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return /(?:ch|sh|ss|x|z)es$/.test(lower) ? lower.slice(0, -2) : lower.slice(0, -1);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Property {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly examples?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
}

function propertiesOf({ inputSchema }: Pick<ToolSummary, 'inputSchema'>): readonly (readonly [string, Property])[] {
  return Object.entries((inputSchema['properties'] ?? {}) as Readonly<Record<string, Property>>);
}

/** Whether an example is known for all that the tool requires. */
function hasExamples(tool: ToolSummary): boolean {
  const required = tool.inputSchema['required'];
  if (!Array.isArray(required)) return true;
  return propertiesOf(tool).every(([name, property]) => !required.includes(name) || exampleOf(property) !== undefined);
}

/** Puts examples of the input in the place of `a city`, `an order`. */
function withExamples(clause: string, inputSchema: ToolSummary['inputSchema']): string {
  return propertiesOf({ inputSchema }).reduce((text, [name, property]) => {
    const example = exampleOf(property);
    if (example === undefined) return text;
    const words = toWords(name);
    const kind = words.replace(/ (?:id|number|code)$/, '');
    const found = new RegExp(`\\b(?:an?|one|the) ${kind.replaceAll(/[^\w ]/g, '')}\\b`, 'i');
    return text.replace(found, () => (kind === words ? example : `${kind} ${example}`));
  }, clause);
}

function exampleOf({ default: usual, description, enum: values, examples }: Property): string | undefined {
  const candidates = [
    ...(Array.isArray(examples) ? (examples as readonly unknown[]) : []),
    usual,
    ...(Array.isArray(values) ? (values as readonly unknown[]) : []),
  ];
  const known = candidates.find((value) => typeof value === 'string' || typeof value === 'number');
  if (known !== undefined) return String(known);
  if (typeof description !== 'string') return undefined;
  return /(?:such as|e\.g\.,?|for example,?) ["“'`]?([^\s,;()"”'`]+(?: [A-Z][^\s,;()"”'`]*)*)/.exec(description)?.[1];
}
