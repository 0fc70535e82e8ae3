/** The keywords of JSON Schema that forms understand. All others are left to the server. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $id?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** The kind of field that a form shows for a schema. */
export type Field =
  | { readonly kind: 'object'; readonly properties: readonly Property[]; readonly isOpen: boolean }
  | { readonly kind: 'array'; readonly items: JsonSchema }
  | { readonly kind: 'tuple'; readonly items: readonly JsonSchema[] }
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'union'; readonly branches: readonly JsonSchema[] }
  | { readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'null' | 'json' };

export interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** A schema without its references, and without `null`, which is a choice of its own. */
export interface ResolvedSchema {
  readonly schema: JsonSchema;
  readonly isNullable: boolean;
  readonly field: Field;
}

export function resolveSchema(schema: JsonSchema, root: JsonSchema): ResolvedSchema {
  const { isNullable, schema: own } = withoutNull(dereference(schema, root), root);
  return { schema: own, isNullable, field: fieldOf(own, root) };
}

/** At most this many references in a row: a circle of them means nothing. */
const longestChain = 16;

function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let count = 0; current.$ref !== undefined && count < longestChain; count += 1) {
    const { $ref, ...beside } = current;
    current = { ...targetOf($ref, root), ...beside };
  }
  return merged(current, root);
}

function targetOf(reference: string, root: JsonSchema): JsonSchema {
  if (reference === '#' || reference === root.$id) return root;
  if (reference.startsWith('#/')) return atPointer(root, reference.slice(2)) ?? {};
  return findById(root, reference.replace(/^#/, ''), 0) ?? {};
}

function atPointer(root: JsonSchema, pointer: string): JsonSchema | undefined {
  let current: unknown = root;
  for (const part of pointer.split('/')) {
    if (typeof current !== 'object' || current === null) return undefined;
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    current = Object.hasOwn(current, key) ? (current as Record<string, unknown>)[key] : undefined;
  }
  return isSchema(current) ? current : undefined;
}

/** Recursive schemas of TypeBox refer to the `$id` of a schema around them. */
function findById(value: unknown, id: string, depth: number): JsonSchema | undefined {
  if (typeof value !== 'object' || value === null || depth > longestChain) return undefined;
  if ((value as JsonSchema).$id === id) return value;
  for (const child of Object.values(value)) {
    const found = findById(child, id, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Objects of an `allOf` become one. */
function merged(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.allOf === undefined) return schema;
  const { allOf, ...own } = schema;
  return allOf
    .map((part) => dereference(part, root))
    .reduce<JsonSchema>(
      (sum, part) => ({
        ...part,
        ...sum,
        ...((sum.properties ?? part.properties) && { properties: { ...part.properties, ...sum.properties } }),
        ...((sum.required ?? part.required) && { required: [...(sum.required ?? []), ...(part.required ?? [])] }),
      }),
      own,
    );
}

function withoutNull(schema: JsonSchema, root: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  const types = typesOf(schema);
  if (types.length > 1 && types.includes('null')) {
    const rest = types.filter((type) => type !== 'null');
    const [only = 'null'] = rest;
    const values = schema.enum?.filter((value) => value !== null);
    return {
      schema: { ...schema, type: rest.length > 1 ? rest : only, ...(values && { enum: values }) },
      isNullable: true,
    };
  }
  const branches = schema.anyOf ?? schema.oneOf;
  const rest = branches?.filter((branch) => dereference(branch, root).type !== 'null');
  if (branches !== undefined && rest !== undefined && rest.length > 0 && rest.length < branches.length) {
    const { anyOf: _, oneOf: __, ...beside } = schema;
    const [only] = rest;
    if (rest.length > 1 || only === undefined) return { schema: { ...beside, anyOf: rest }, isNullable: true };
    return { schema: { ...dereference(only, root), ...beside }, isNullable: true };
  }
  return { schema, isNullable: schema.nullable === true };
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return typeof type === 'object' ? type : [];
}

function fieldOf(schema: JsonSchema, root: JsonSchema): Field {
  if (schema.const !== undefined) return { kind: 'constant', value: schema.const };
  if (schema.enum !== undefined) return { kind: 'choice', values: schema.enum };
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return unionOf(branches, root);
  const types = typesOf(schema);
  if (types.length > 1) return { kind: 'union', branches: types.map((type) => ({ ...schema, type, title: type })) };
  if (schema.properties !== undefined) return objectOf(schema, schema.properties);
  if (schema.type === 'array') return arrayOf(schema);
  if (schema.type === 'string') return { kind: 'text' };
  if (schema.type === 'number' || schema.type === 'integer' || schema.type === 'boolean' || schema.type === 'null')
    return { kind: schema.type };
  return { kind: 'json' };
}

/** Alternatives that are constants are one choice. */
function unionOf(branches: readonly JsonSchema[], root: JsonSchema): Field {
  const values = branches.map((branch) => dereference(branch, root).const);
  return values.every((value) => value !== undefined) ? { kind: 'choice', values } : { kind: 'union', branches };
}

function objectOf(schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>): Field {
  const required = new Set(schema.required);
  return {
    kind: 'object',
    properties: Object.entries(properties).map(([name, each]) => ({
      name,
      schema: each,
      isRequired: required.has(name),
    })),
    isOpen: schema.additionalProperties !== false,
  };
}

function arrayOf({ items, prefixItems }: JsonSchema): Field {
  const places = prefixItems ?? (Array.isArray(items) ? (items as readonly JsonSchema[]) : undefined);
  if (places !== undefined) return { kind: 'tuple', items: places };
  return { kind: 'array', items: isSchema(items) ? items : {} };
}
