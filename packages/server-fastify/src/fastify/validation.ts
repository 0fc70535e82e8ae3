import { InvalidInputError } from '@halyard/contracts';
import { describeErrors } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type Options } from 'ajv';
import type { FastifyInstance } from 'fastify';

const common: Options = {
  removeAdditional: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // OpenAPI's own words in schemas.
  keywords: ['discriminator', 'example'],
  formats: {},
  validateFormats: false,
};

const names: Readonly<Record<string, string>> = { querystring: 'query' };

/**
 * What a request must look like, by the schemas of its route. Text from the URL becomes the numbers and booleans its schema asks
 * for, and gets its defaults; a body is taken as it is. The first thing that is wrong is told in one sentence.
 */
export function validateRequests(app: FastifyInstance): void {
  const url = new Ajv({ ...common, coerceTypes: true, useDefaults: true });
  const body = new Ajv(common);
  app.setValidatorCompiler<TSchema>(({ httpPart, schema }) => (httpPart === 'body' ? body : url).compile(schema));
  app.setSchemaErrorFormatter((errors, part) => new InvalidInputError(describeErrors(errors, names[part] ?? part)));
}
