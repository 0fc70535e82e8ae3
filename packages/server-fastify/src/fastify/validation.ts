import { InvalidInputError } from '@halyard/contracts';
import { describeErrors } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { AgentInput } from '../schemas/agent-input.ts';
import { bodyValidators, urlValidators } from './validators.ts';

const names: Readonly<Record<string, string>> = { querystring: 'query', headers: 'header' };
/** How long after it has begun to listen a server has time for what can wait. */
const whenAtRestMs = 100;

/** What a request must look like, by the schemas of its route. The first thing that is wrong is told in one sentence. */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(({ httpPart = 'body', schema }) => validatorOf(schema, httpPart));
  compileAhead(app);
}

/** @param part of the request: `body`, `params`, `querystring`, `headers`. */
export function validatorOf(
  schema: TSchema,
  part: string,
): (value: unknown) => { readonly value: unknown } | { readonly error: InvalidInputError } {
  const validators = part === 'body' ? bodyValidators : urlValidators;
  return (value) => {
    const validate = validators.of(schema);
    if (validate(value)) return { value };
    return { error: new InvalidInputError(describeErrors(validate.errors, names[part] ?? part)) };
  };
}

/** What takes a while to compile would hold up the first who ask, and all that is under way in the meantime would grow old. */
function compileAhead(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', async () => {
    timer = setTimeout(() => bodyValidators.of(AgentInput), whenAtRestMs).unref();
  });
  app.addHook('onClose', async () => clearTimeout(timer));
}
