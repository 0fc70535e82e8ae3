import { InvalidInputError } from '@halyard/contracts';
import { describeErrors } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';
import { withoutNames } from './without-names.ts';

const common: Options = {
  removeAdditional: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // What a schema refers to by name is compiled once, which is why it does.
  inlineRefs: false,
  // OpenAPI's own words in schemas.
  keywords: ['discriminator', 'example'],
  validateFormats: false,
};

const names: Readonly<Record<string, string>> = { querystring: 'query', headers: 'header' };

/**
 * What a request must look like, by the schemas of its route. Text from the URL becomes the numbers and booleans its schema asks
 * for, and gets its defaults; a body is taken as it is. The first thing that is wrong is told in one sentence.
 */
export function validateRequests(app: FastifyInstance): void {
  // `Infinity` becomes a number too: strictly taken it is none, and Ajv would leave out the rules for numbers.
  const url = new Ajv({ ...common, coerceTypes: true, useDefaults: true, strictNumbers: false });
  const body = new Ajv(common);
  app.setValidatorCompiler<TSchema>(({ httpPart = 'body', schema }) => {
    const ajv = httpPart === 'body' ? body : url;
    const at = names[httpPart] ?? httpPart;
    // Compiled when it is first needed: all of them at once would be most of what a start takes.
    let validate: ValidateFunction | undefined;
    return (value: unknown) => {
      validate ??= ajv.compile(withoutNames(schema));
      return validate(value) ? { value } : { error: new InvalidInputError(describeErrors(validate.errors, at)) };
    };
  });
}
