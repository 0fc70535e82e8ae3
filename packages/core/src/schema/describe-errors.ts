/** The part of an ajv error that {@link describeErrors} reads; Fastify's validation errors have it too. */
export interface SchemaError {
  /** JSON pointer into the value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
  readonly schemaPath?: string;
}

/**
 * One readable sentence for what ajv found wrong, starting with `at` and the path of the field: `input/city must be string`.
 *
 * Of several errors (each branch of an `anyOf` leaves its own) the one deepest in the value is told: it belongs to the branch that
 * fits best. A field that fits no branch is told with all that the branches would take: `input/unit must be string or null`.
 * Names an unexpected property and allowed values. Text from the value itself is cut short.
 */
export function describeErrors(errors: readonly SchemaError[] | null | undefined, at: string): string {
  const all = errors ?? [];
  const causes = findCauses(all);
  const [first] = causes;
  if (first === undefined) return `${at} is invalid`;

  const byFamily = Map.groupBy(causes, family);
  const reasons = new Set([...byFamily.values()].flatMap(describeFamily));
  // Only the branches of a union are alternatives; otherwise each error stands by itself and one is enough.
  const told = all.some(isUmbrella) ? [...reasons].slice(0, MAX_REASONS) : [...reasons].slice(0, 1);
  return `${at}${shorten(first.instancePath, MAX_PATH)} ${told.join(' or ')}`;
}

const MAX_PATH = 200;
const MAX_NAME = 100;
const MAX_MESSAGE = 300;
const MAX_VALUES = 20;
const MAX_REASONS = 3;

/** They say that something below them failed; what failed has an error of its own. */
const UMBRELLAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if']);

/** Families of errors that say that a branch was not meant at all. */
const MISFITS: ReadonlySet<string> = new Set(['type', 'values']);

/** The errors of highest rank, all about one field; just an umbrella where nothing below it left an error. */
function findCauses(errors: readonly SchemaError[]): readonly SchemaError[] {
  const causes = errors.filter((error) => !isUmbrella(error));
  if (causes.length === 0) return errors.slice(-1);

  const highest = Math.max(...causes.map(rank));
  const best = causes.filter((cause) => rank(cause) === highest);
  return best.filter(({ instancePath }) => instancePath === best[0]?.instancePath);
}

function isUmbrella({ keyword }: SchemaError): boolean {
  return UMBRELLAS.has(keyword);
}

/** Depth first. A branch that fails on its type or its constants is more likely the wrong branch than one that fails otherwise. */
function rank(error: SchemaError): number {
  const depth = error.instancePath.split('/').length + (propertyOf(error) === undefined ? 0 : 1);
  return depth * 2 + (MISFITS.has(family(error)) ? 0 : 1);
}

function family({ keyword }: SchemaError): string {
  return keyword === 'const' || keyword === 'enum' ? 'values' : keyword;
}

/** The property that an error on an object is about. */
function propertyOf({ params }: SchemaError): string | undefined {
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
      return `${message}: '${shorten(propertyOf(error) ?? '', MAX_NAME)}'`;
    case 'propertyNames':
      return `must NOT have a property named '${shorten(propertyOf(error) ?? '', MAX_NAME)}'`;
    case 'false schema':
      return 'must NOT be present';
    default:
      return shorten(message, MAX_MESSAGE);
  }
}

function describeTypes(errors: readonly SchemaError[]): string {
  return `must be ${[...new Set(errors.flatMap(({ params }) => listOf(params['type'])).map(String))].join(' or ')}`;
}

function describeValues(errors: readonly SchemaError[]): string {
  const values = errors.flatMap(({ params }) =>
    'allowedValue' in params ? [params['allowedValue']] : listOf(params['allowedValues']),
  );
  const texts = [...new Set(values.map((value) => shorten(JSON.stringify(value) ?? 'undefined', MAX_NAME)))];
  if (texts.length === 1) return `must be equal to constant: ${texts[0]}`;

  const shown = texts.length > MAX_VALUES ? [...texts.slice(0, MAX_VALUES), '…'] : texts;
  return `must be equal to one of the allowed values: ${shown.join(', ')}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
