import { type Field, type JsonSchema, resolveSchema } from './json-schema.ts';

/** A text that is not a value yet: a number or JSON that somebody is typing. */
export class UnfinishedText {
  readonly text: string;
  readonly problem: string;

  constructor(text: string, problem: string) {
    this.text = text;
    this.problem = problem;
  }
}

/** The problems of a value, in words, by JSON pointer: `/lines/0/sku`. */
export type Problems = Readonly<Record<string, string>>;

/** Checks what forms can check. The server checks everything again. */
export function validate(value: unknown, schema: JsonSchema, root: JsonSchema): Problems {
  const problems: Record<string, string> = {};
  check({ value, schema, root, at: '', isRequired: true, problems });
  return problems;
}

/** The alternative of a union that a value fits best. */
export function bestBranch(value: unknown, branches: readonly JsonSchema[], root: JsonSchema): number {
  const counts = branches.map((branch) => distance(value, branch, root));
  return Math.max(0, counts.indexOf(Math.min(...counts)));
}

/** Whether a value is of this alternative, perhaps with fields that are missing or wrong. */
export function fitsBranch(value: unknown, branch: JsonSchema, root: JsonSchema): boolean {
  return value === undefined || distance(value, branch, root) < 100;
}

interface Checked {
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly at: string;
  readonly isRequired: boolean;
  readonly problems: Record<string, string>;
}

function check({ at, isRequired, problems, root, schema, value }: Checked): void {
  const { field, isNullable, schema: own } = resolveSchema(schema, root);
  if (value instanceof UnfinishedText) {
    problems[at] = value.problem;
    return;
  }
  if (value === undefined) {
    if (isRequired && !acceptsNothing(field)) problems[at] = 'Required';
    return;
  }
  if (value === null && isNullable) return;
  const problem = findProblem(value, own, field);
  if (problem !== undefined) {
    problems[at] = problem;
    return;
  }
  for (const child of listChildren(value, field, root)) check({ ...child, at: `${at}${child.at}`, root, problems });
}

/** Any JSON includes none. */
function acceptsNothing({ kind }: Field): boolean {
  return kind === 'json';
}

function listChildren(
  value: unknown,
  field: Field,
  root: JsonSchema,
): readonly Pick<Checked, 'value' | 'schema' | 'at' | 'isRequired'>[] {
  if (field.kind === 'object') {
    const fields = value as Readonly<Record<string, unknown>>;
    return field.properties.map(({ isRequired, name, schema }) => ({
      value: Object.hasOwn(fields, name) ? fields[name] : undefined,
      schema,
      at: `/${name}`,
      isRequired,
    }));
  }
  if (field.kind === 'array' || field.kind === 'tuple') {
    return (value as readonly unknown[]).map((item, index) => ({
      value: item,
      schema: field.kind === 'array' ? field.items : (field.items[index] ?? {}),
      at: `/${index}`,
      isRequired: true,
    }));
  }
  if (field.kind === 'union') {
    const schema = field.branches[bestBranch(value, field.branches, root)];
    return schema === undefined ? [] : [{ value, schema, at: '', isRequired: true }];
  }
  return [];
}

function distance(value: unknown, schema: JsonSchema, root: JsonSchema): number {
  const { field, isNullable, schema: own } = resolveSchema(schema, root);
  if (value === null && isNullable) return 0;
  // A value of another kind is farther away than one with many problems, and another constant than
  // a missing field.
  if (value !== undefined && findProblem(value, own, field) !== undefined) return 1_000;
  const problems = validate(value, schema, root);
  if (field.kind !== 'object') return Object.keys(problems).length;
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const wrong = field.properties.filter(({ name, schema: each }) => {
    const inner = resolveSchema(each, root).field;
    return inner.kind === 'constant' && Object.hasOwn(fields, name) && !isSame(fields[name], inner.value);
  });
  const known = new Set(field.properties.map(({ name }) => name));
  const unknown = Object.keys(fields).filter((name) => !known.has(name));
  return Object.keys(problems).length + unknown.length + 100 * wrong.length;
}

function findProblem(value: unknown, schema: JsonSchema, field: Field): string | undefined {
  switch (field.kind) {
    case 'object':
      if (!isObject(value)) return 'Must be an object';
      return unknownField(value, field);
    case 'array':
    case 'tuple':
      return Array.isArray(value) ? listProblem(value, schema) : 'Must be a list';
    case 'choice':
      return field.values.some((each) => isSame(each, value)) ? undefined : 'Choose one of the values';
    case 'constant':
      return isSame(field.value, value) ? undefined : `Must be ${JSON.stringify(field.value)}`;
    case 'text':
      return typeof value === 'string' ? textProblem(value, schema) : 'Must be a text';
    case 'number':
    case 'integer':
      return typeof value === 'number' ? numberProblem(value, schema) : 'Must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Choose yes or no';
    case 'null':
      return value === null ? undefined : 'Must be null';
    case 'json':
      return schema.type === 'object' && !isObject(value) ? 'Must be an object' : undefined;
    case 'union':
      return undefined;
    default:
      return field satisfies never;
  }
}

function unknownField(value: object, field: Field & { readonly kind: 'object' }): string | undefined {
  if (field.isOpen) return undefined;
  const known = new Set(field.properties.map(({ name }) => name));
  const other = Object.keys(value).find((name) => !known.has(name));
  return other === undefined ? undefined : `Has no field “${other}”`;
}

function listProblem(list: readonly unknown[], { maxItems, minItems, uniqueItems }: JsonSchema): string | undefined {
  if (minItems !== undefined && list.length < minItems) return `Needs at least ${counted(minItems, 'item')}`;
  if (maxItems !== undefined && list.length > maxItems) return `Has at most ${counted(maxItems, 'item')}`;
  if (uniqueItems === true && new Set(list.map((item) => JSON.stringify(item))).size < list.length)
    return 'Has an item twice';
  return undefined;
}

function textProblem(text: string, { format, maxLength, minLength, pattern }: JsonSchema): string | undefined {
  if (minLength !== undefined && text.length < minLength)
    return text === '' ? 'Required' : `Needs at least ${counted(minLength, 'character')}`;
  if (maxLength !== undefined && text.length > maxLength) return `Has at most ${counted(maxLength, 'character')}`;
  if (pattern !== undefined && !matches(text, pattern)) return `Must match ${pattern}`;
  return format === undefined ? undefined : formatProblem(text, format);
}

function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // The server decides about patterns that this browser does not know.
    return true;
  }
}

const formats: Readonly<Record<string, readonly [RegExp, string]>> = {
  email: [/^[^\s@]+@[^\s@]+$/, 'Must be an email address'],
  uuid: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'Must be a UUID'],
  date: [/^\d{4}-\d{2}-\d{2}$/, 'Must be a date'],
  'date-time': [/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, 'Must be a date with a time'],
};

function formatProblem(text: string, format: string): string | undefined {
  if ((format === 'uri' || format === 'url') && !URL.canParse(text)) return 'Must be an address such as https://…';
  const rule = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return rule === undefined || rule[0].test(text) ? undefined : rule[1];
}

function numberProblem(value: number, schema: JsonSchema): string | undefined {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf, type } = schema;
  if (type === 'integer' && !Number.isInteger(value)) return 'Must be a whole number';
  if (minimum !== undefined && value < minimum) return `Must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `Must be at most ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `Must be more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `Must be less than ${exclusiveMaximum}`;
  if (multipleOf !== undefined && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9)
    return `Must be a multiple of ${multipleOf}`;
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
