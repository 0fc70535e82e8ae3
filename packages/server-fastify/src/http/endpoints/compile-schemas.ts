import { Ajv, type Options, type ValidateFunction } from 'ajv';

const common: Options = {
  removeAdditional: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  inlineRefs: false,
  // OpenAPI's own keywords.
  keywords: ['discriminator', 'example'],
  validateFormats: false,
  // Tests validate our own schemas, and optimised code is hardly faster. Both would double the time
  // of compiling.
  validateSchema: false,
  code: { optimize: false },
};

/**
 * Compiles the schemas of endpoints to validators on first use: compiling all of them would take
 * most of the start.
 *
 * A schema with a name (`$id`) is compiled once, wherever it is used. `AgentInput` takes longer to
 * compile than all others.
 */
class SchemaCompiler {
  readonly #ajv: Ajv;
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  readonly #named = new Map<string, object>();

  constructor(options: Options) {
    this.#ajv = new Ajv({ ...common, ...options });
  }

  compile(schema: object): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const compiled = this.#ajv.compile(this.#referring(schema));
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /**
   * The schema with references in place of named subschemas. A different schema with the same name
   * is not replaced.
   */
  #referring(schema: object): object {
    const name = '$id' in schema && typeof schema.$id === 'string' ? schema.$id : undefined;
    if (name === undefined) return this.#copy(schema);
    const known = this.#named.get(name);
    if (known === undefined) {
      // Registered first, because a recursive schema contains itself.
      this.#named.set(name, schema);
      this.#ajv.addSchema(this.#copy(schema), name);
    } else if (known !== schema && JSON.stringify(known) !== JSON.stringify(schema)) return this.#copy(schema);
    return { $ref: name };
  }

  #copy(schema: object): object {
    const parts = Object.entries(schema).filter(([key, part]) => key !== '$id' || typeof part !== 'string');
    return Object.fromEntries(parts.map(([key, part]) => [key, this.#copyPart(part)]));
  }

  #copyPart(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#copyPart(each));
    return typeof part === 'object' && part !== null ? this.#referring(part) : part;
  }
}

/** For bodies, which are not coerced. */
export const bodySchemas = new SchemaCompiler({});

/**
 * For parameters, queries and headers: coerces text to the numbers and booleans of the schema, and
 * inserts defaults. `strictNumbers: false` because Ajv would otherwise not apply the rules for
 * numbers to `Infinity`.
 */
export const urlSchemas = new SchemaCompiler({ coerceTypes: true, useDefaults: true, strictNumbers: false });
