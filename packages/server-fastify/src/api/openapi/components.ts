import { isJson, schemaKeywords } from './schema-keywords.ts';

type Json = Record<string, unknown>;

/**
 * Converts the schemas of Halyard's endpoints to those of an OpenAPI document. A schema with an
 * `$id` becomes a named component, a property with a default becomes optional, and a conditional
 * choice between schemas becomes `anyOf`.
 */
export class Components {
  readonly #named = new Map<string, Json>();

  get schemas(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  describe(schema: object): Json {
    const id = '$id' in schema ? schema.$id : undefined;
    if (typeof id !== 'string') return this.#convert(schema);
    if (!this.#named.has(id)) {
      // Reserved first, because a recursive schema contains itself.
      this.#named.set(id, {});
      this.#named.set(id, this.#convert(schema));
    }
    return { $ref: referenceTo(id) };
  }

  /**
   * An event of a stream. Generators of clients read its fields. Validators of whole bodies apply
   * the schema to the text of the stream, so it constrains objects only and accepts every text.
   */
  describeEvent(schema: object): Json {
    return this.#acceptText(this.describe(schema));
  }

  #acceptText({ type, ...schema }: Json): Json {
    const { $ref, anyOf } = schema;
    if (typeof $ref === 'string') {
      const id = $ref.slice(referenceTo('').length);
      const named = this.#named.get(id);
      if (named !== undefined) this.#named.set(id, this.#acceptText(named));
    }
    if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((variant: Json) => this.#acceptText(variant)) };
    return type === undefined || 'properties' in schema ? schema : { type, ...schema };
  }

  #convert(schema: object): Json {
    const converted: Json = {};
    for (const [key, value] of Object.entries(asAlternatives(schema))) {
      if (key === '$id') continue;
      if (key === '$ref' && typeof value === 'string' && !value.startsWith('#')) converted[key] = referenceTo(value);
      else if (key === 'items' && Array.isArray(value)) converted['prefixItems'] = this.#convertList(value);
      else converted[key] = this.#convertValue(schemaKeywords.get(key), value);
    }
    return withoutDefaulted(converted);
  }

  #convertValue(kind: 'schema' | 'list' | 'map' | undefined, value: unknown): unknown {
    if (kind === 'list' && Array.isArray(value)) return this.#convertList(value);
    if (kind === 'map' && isJson(value)) return this.#convertMap(value);
    return kind === 'schema' && isJson(value) ? this.describe(value) : value;
  }

  #convertMap(map: Readonly<Json>): Json {
    return Object.fromEntries(
      Object.entries(map).map(([name, schema]) => [name, isJson(schema) ? this.describe(schema) : schema]),
    );
  }

  #convertList(list: readonly unknown[]): unknown[] {
    return list.map((schema) => (isJson(schema) ? this.describe(schema) : schema));
  }
}

/**
 * Validation selects a variant by `if`, so that it reports one error only. Client generators
 * support `anyOf` only.
 */
function asAlternatives(schema: object): object {
  const { allOf, description } = schema as Json;
  const conditions: readonly unknown[] = Array.isArray(allOf) ? allOf : [schema];
  const variants = conditions.flatMap(listVariants);
  if (variants.length === 0 || !variants.every((variant) => 'type' in variant)) return schema;
  return { ...(description !== undefined && { description }), anyOf: variants };
}

function listVariants(condition: unknown): Readonly<Json>[] {
  if (!isJson(condition) || !('if' in condition)) return [];
  return [condition['then'], condition['else']].filter(isJson).filter((part) => Object.keys(part).length > 0);
}

function referenceTo(id: string): string {
  return `#/components/schemas/${id}`;
}

function withoutDefaulted(schema: Json): Json {
  const { properties, required, ...rest } = schema;
  if (!Array.isArray(required) || !isJson(properties)) return schema;
  const names = required.filter((name: string) => !hasDefault(properties[name]));
  return names.length === 0 ? { ...rest, properties } : { ...rest, properties, required: names };
}

function hasDefault(schema: unknown): boolean {
  return isJson(schema) && 'default' in schema;
}
