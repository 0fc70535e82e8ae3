import { type ApiDocument, ReplyCheck } from '../../../../../packages/server-fastify/src/testing/reply-check.ts';
import { send } from '../harness/http-client.ts';
import type { Target } from '../harness/target.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

/** An operation of an OpenAPI document. */
export interface Operation {
  /** In upper case. */
  readonly method: string;
  /** Such as `/agents/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
}

export interface Api {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly check: ReplyCheck;
}

interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

/** Reads `GET /doc` of a server. */
export async function readApi(target: Target): Promise<Api> {
  const { body, status } = await send(target, { method: 'GET', path: '/doc', headers: target.headersOf('console') });
  if (status !== 200) throw new Error(`GET /doc: ${status} ${body}`);
  const document = JSON.parse(body) as ApiDocument;
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]): Operation => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema,
    })),
  );
  return {
    operations,
    schemas: document.components.schemas as Readonly<Record<string, JsonSchema>>,
    check: new ReplyCheck(document),
  };
}
