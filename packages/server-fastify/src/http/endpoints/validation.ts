import { InvalidInputError } from '@halyard/contracts';
import { describeErrors } from '@halyard/core/server';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { AgentInput } from '../../api/routes/agents/schemas.ts';
import { bodySchemas, urlSchemas } from './compile-schemas.ts';

const names: Readonly<Record<string, string>> = { querystring: 'query', headers: 'header' };
/** When the largest schema is compiled, after the server has begun to listen. */
const compileAheadMs = 100;

/**
 * Validates requests by the schemas of their route. The error names the first fault in one
 * sentence.
 */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(({ httpPart = 'body', schema }) => createPartValidator(schema, httpPart));
  compileAhead(app);
}

/** @param part `body`, `params`, `querystring` or `headers`. */
export function createPartValidator(
  schema: TSchema,
  part: string,
): (value: unknown) => { readonly value: unknown } | { readonly error: InvalidInputError } {
  const schemas = part === 'body' ? bodySchemas : urlSchemas;
  const numbers = part === 'body' ? [] : listNumbers(schema);
  return (value) => {
    const malformed = numbers.find(({ name }) => isMalformed(readValue(value, name)));
    if (malformed !== undefined) {
      const { name, type } = malformed;
      return { error: new InvalidInputError(`${names[part] ?? part}/${name} must be ${type}`) };
    }
    const validate = schemas.compile(schema);
    if (validate(value)) return { value };
    return { error: new InvalidInputError(describeErrors(validate.errors, names[part] ?? part)) };
  };
}

interface NumberProperty {
  readonly name: string;
  readonly type: 'integer' | 'number';
}

function listNumbers({ properties }: TSchema): readonly NumberProperty[] {
  return Object.entries((properties ?? {}) as Readonly<Record<string, TSchema>>).flatMap(([name, schema]) => {
    const type: unknown = schema['type'];
    return type === 'integer' || type === 'number' ? [{ name, type }] : [];
  });
}

/**
 * Whether a text is no decimal number. Ajv would also accept others that JavaScript converts, such
 * as `0x10`.
 */
function isMalformed(value: unknown): boolean {
  return typeof value === 'string' && !/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value);
}

function readValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/**
 * Compiles the largest schema shortly after the start, since it takes long enough to delay the
 * first request and all others with it.
 */
function compileAhead(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', async () => {
    timer = setTimeout(() => bodySchemas.compile(AgentInput), compileAheadMs).unref();
  });
  app.addHook('onClose', async () => clearTimeout(timer));
}
