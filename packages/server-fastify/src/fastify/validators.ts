import { Ajv, type Options, type ValidateFunction } from 'ajv';

const common: Options = {
  removeAdditional: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  inlineRefs: false,
  // OpenAPI's own words in schemas.
  keywords: ['discriminator', 'example'],
  validateFormats: false,
  // Our own schemas are looked at by tests, and shorter code is hardly faster: both would double the time that compiling takes.
  validateSchema: false,
  code: { optimize: false },
};

/**
 * What checks requests, made of the schemas of endpoints when it is first needed: all at once would be most of what a start takes.
 *
 * A schema with a name (`$id`) is compiled once, wherever it stands: what an agent may be asked takes longer than all the rest.
 */
class Validators {
  readonly #ajv: Ajv;
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  readonly #named = new Map<string, object>();

  constructor(options: Options) {
    this.#ajv = new Ajv({ ...common, ...options });
  }

  of(schema: object): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const compiled = this.#ajv.compile(this.#referring(schema));
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /** The schema with references in the place of those that have a name. Another one of a name that is taken stays where it is. */
  #referring(schema: object): object {
    const name = '$id' in schema && typeof schema.$id === 'string' ? schema.$id : undefined;
    if (name === undefined) return this.#copyOf(schema);
    const known = this.#named.get(name);
    if (known === undefined) {
      // A recursive schema meets itself on the way: it must be known by then.
      this.#named.set(name, schema);
      this.#ajv.addSchema(this.#copyOf(schema), name);
    } else if (known !== schema && JSON.stringify(known) !== JSON.stringify(schema)) return this.#copyOf(schema);
    return { $ref: name };
  }

  #copyOf(schema: object): object {
    const parts = Object.entries(schema).filter(([key, part]) => key !== '$id' || typeof part !== 'string');
    return Object.fromEntries(parts.map(([key, part]) => [key, this.#copyPart(part)]));
  }

  #copyPart(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((each) => this.#copyPart(each));
    return typeof part === 'object' && part !== null ? this.#referring(part) : part;
  }
}

/** Of bodies, which are taken as they are. */
export const bodyValidators = new Validators({});

/**
 * Of what stands in the URL: text becomes the numbers and booleans that its schema asks for, and gets its defaults.
 * `Infinity` becomes a number too: strictly taken it is none, and Ajv would leave out the rules for numbers.
 */
export const urlValidators = new Validators({ coerceTypes: true, useDefaults: true, strictNumbers: false });
