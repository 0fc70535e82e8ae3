import { cutText } from '@halyard/contracts';

/**
 * The fields of an ajv error that {@link describeErrors} reads. Fastify's validation errors have
 * them too.
 */
export interface SchemaError {
  /** JSON pointer into the value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
  readonly schemaPath?: string;
}

/**
 * Describes ajv's errors in one sentence that starts with `at` and the path of the field:
 * `input/city must be string`.
 *
 * Each branch of an `anyOf` reports its own errors; the deepest one is described, because it
 * belongs to the branch that fits best. If a field fits no branch, the sentence lists all
 * alternatives: `input/unit must be string or null`. It names an unexpected property and the
 * allowed values. Text from the value itself is shortened.
 */
export function describeErrors(errors: readonly SchemaError[] | null | undefined, at: string): string {
  const all = errors ?? [];
  const causes = findCauses(all);
  const [first] = causes;
  if (first === undefined) return `${at} is invalid`;

  const byFamily = Map.groupBy(causes, family);
  const reasons = new Set([...byFamily.values()].flatMap(describeFamily));
  // Errors are alternatives only if they come from the branches of a union. Otherwise the first one
  // is enough.
  const alternatives = [...reasons].slice(0, all.some(isUnion) ? MAX_REASONS : 1);
  return `${at}${shorten(first.instancePath, MAX_PATH)} ${alternatives.join(' or ')}`;
}

const MAX_PATH = 200;
const MAX_NAME = 100;
const MAX_MESSAGE = 300;
const MAX_VALUES = 20;
const MAX_REASONS = 3;

/** Keywords whose errors only say that a branch failed. The branch reports its own errors. */
const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if']);

/** Families of errors that indicate the wrong branch. */
const MISFITS: ReadonlySet<string> = new Set(['type', 'values']);

/**
 * The errors of highest rank, all of one field; the error of the union itself if no branch reported
 * one.
 */
function findCauses(errors: readonly SchemaError[]): readonly SchemaError[] {
  const causes = errors.filter((error) => !isUnion(error));
  if (causes.length === 0) return errors.slice(-1);

  const highest = Math.max(...causes.map(rank));
  const best = causes.filter((cause) => rank(cause) === highest);
  return best.filter(({ instancePath }) => instancePath === best[0]?.instancePath);
}

function isUnion({ keyword }: SchemaError): boolean {
  return UNIONS.has(keyword);
}

/**
 * Ranks by depth first. At equal depth, a type or constant that does not match more likely belongs
 * to the wrong branch.
 */
function rank(error: SchemaError): number {
  const depth = error.instancePath.split('/').length + (readProperty(error) === undefined ? 0 : 1);
  return depth * 2 + (MISFITS.has(family(error)) ? 0 : 1);
}

function family({ keyword }: SchemaError): string {
  return keyword === 'const' || keyword === 'enum' ? 'values' : keyword;
}

/** The property that an object's error names. */
function readProperty({ params }: SchemaError): string | undefined {
  const name =
    params['missingProperty'] ??
    params['additionalProperty'] ??
    params['unevaluatedProperty'] ??
    params['propertyName'];
  return typeof name === 'string' ? name : undefined;
}

function describeFamily(errors: readonly SchemaError[]): string[] {
  const [first] = errors;
  if (first === undefined) return [];
  if (first.keyword === 'type') return [describeTypes(errors)];
  if (family(first) === 'values') return [describeValues(errors)];
  return errors.map(describe);
}

function describe(error: SchemaError): string {
  const message = error.message ?? 'is invalid';
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${message}: '${shorten(readProperty(error) ?? '', MAX_NAME)}'`;
    case 'propertyNames':
      return `must NOT have a property named '${shorten(readProperty(error) ?? '', MAX_NAME)}'`;
    case 'false schema':
      return 'must NOT be present';
    default:
      return shorten(message, MAX_MESSAGE);
  }
}

function describeTypes(errors: readonly SchemaError[]): string {
  return `must be ${[...new Set(errors.flatMap(({ params }) => toList(params['type'])).map(String))].join(' or ')}`;
}

function describeValues(errors: readonly SchemaError[]): string {
  const values = errors.flatMap(({ params }) =>
    'allowedValue' in params ? [params['allowedValue']] : toList(params['allowedValues']),
  );
  const texts = [...new Set(values.map((value) => shorten(JSON.stringify(value) ?? 'undefined', MAX_NAME)))];
  if (texts.length === 1) return `must be equal to constant: ${texts[0]}`;

  const shown = texts.length > MAX_VALUES ? [...texts.slice(0, MAX_VALUES), '…'] : texts;
  return `must be equal to one of the allowed values: ${shown.join(', ')}`;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${cutText(text, length)}…` : text;
}
