import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeErrors } from './describe-errors.ts';
import type { JsonSchema } from './schema.ts';
import { walkSchema } from './walk-schema.ts';

/**
 * Compiles a JSON Schema of any origin into ajv's validation function, which is always synchronous
 * and never coerces. Unknown keywords are ignored, and nothing is written to the console.
 *
 * Each call creates its own ajv instance (35 µs without the meta-schema), so that two schemas may
 * have the same `$id` and no memory is retained besides the returned function.
 *
 * @throws Error (ajv's own) when the schema cannot be compiled.
 */
export function createValidator(schema: JsonSchema, options: Options = {}): ValidateFunction {
  const { $async: _, ...synchronous } = schema;
  const common: Options = { meta: false, validateSchema: false, ownProperties: true, code: { regExp } };
  return createAjv(readDialect(schema), { ...common, ...options }).compile(synchronous);
}

/**
 * Creates the expression of a pattern. Many schemas have patterns such as `\-` and `[\w-.]`, which
 * are valid ECMAScript, but not with the flag `u` that JSON Schema recommends.
 */
const regExp = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern, flags.replace('u', ''));
    }
  },
  // Ajv requires the engine's source code, which it uses for standalone code only.
  { code: 'regExp' },
);

/**
 * Validates `schema` against the meta-schema of its draft. Returns a sentence that starts with
 * `at`, or undefined.
 */
export function findSchemaFault(schema: JsonSchema, at: string): string | undefined {
  const isValid = findMetaValidator(readDialect(schema));
  return isValid(schema) ? undefined : describeErrors(isValid.errors, at);
}

/**
 * Whether the root of `schema` has any keyword that ajv knows. An object without one is not a JSON
 * Schema.
 */
export function hasKnownKeyword(schema: JsonSchema): boolean {
  const ajv = createAjv(readDialect(schema), { meta: false });
  return Object.keys(schema).some((keyword) => ajv.getKeyword(keyword) !== false);
}

type Dialect = 'draft-07' | '2019-09' | '2020-12';

const META_SCHEMA_IDS: Readonly<Record<Dialect, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

const metaValidators = new Map<Dialect, ValidateFunction>();

/**
 * Compiled once for each draft in use. It takes 35 ms at start; optimising its code would take 10
 * ms more.
 */
function findMetaValidator(dialect: Dialect): ValidateFunction {
  const known = metaValidators.get(dialect);
  if (known) return known;

  const validator = createAjv(dialect, { code: { optimize: false } }).compile({ $ref: META_SCHEMA_IDS[dialect] });
  metaValidators.set(dialect, validator);
  return validator;
}

function createAjv(dialect: Dialect, options: Options): Ajv | Ajv2019 | Ajv2020 {
  const ajv = createAjvOf(dialect, { strict: false, logger: false, validateFormats: false, ...options });
  // Draft-04's name of `$id`, which ajv refuses. Later drafts treat it as an unknown keyword.
  ajv.removeKeyword('id');
  return ajv;
}

function createAjvOf(dialect: Dialect, options: Options): Ajv | Ajv2019 | Ajv2020 {
  switch (dialect) {
    case 'draft-07':
      return new Ajv(options);
    case '2019-09':
      return new Ajv2019(options);
    case '2020-12':
      return new Ajv2020(options);
    default:
      return dialect satisfies never;
  }
}

/**
 * The draft that `$schema` names, else the oldest one that has every keyword in use, so that none
 * is ignored.
 */
function readDialect(schema: JsonSchema): Dialect {
  const named = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (named.includes('2020-12')) return '2020-12';
  if (named.includes('2019-09')) return '2019-09';
  if (named !== '') return 'draft-07';

  let dialect: Dialect = 'draft-07';
  walkSchema(schema, (part) => {
    if (typeof part === 'boolean') return;
    const keywords = Object.keys(part);
    if (keywords.some((keyword) => SINCE_2020_12.has(keyword))) dialect = '2020-12';
    else if (dialect === 'draft-07' && keywords.some((keyword) => SINCE_2019_09.has(keyword))) dialect = '2019-09';
  });
  return dialect;
}

const SINCE_2020_12: ReadonlySet<string> = new Set(['prefixItems', '$dynamicRef', '$dynamicAnchor']);

const SINCE_2019_09: ReadonlySet<string> = new Set([
  '$anchor',
  '$defs',
  '$recursiveAnchor',
  '$recursiveRef',
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
