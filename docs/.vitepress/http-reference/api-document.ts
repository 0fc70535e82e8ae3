import { createServer } from '@halyard/server-fastify';

/** The parts of an OpenAPI document that the reference shows. */
export interface ApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: Schema | boolean;
}

/** The document of a server with access control, so that it names the credential of each route. */
export async function readApiDocument(): Promise<ApiDocument> {
  const provider = { type: 'none', verifyToken: async () => null };
  const server = await createServer({
    logger: false,
    console: false,
    enableSwaggerUI: false,
    auth: { provider, consoleKey: 'a key of the reference' },
  });
  const headers = { 'x-console-access-key': 'a key of the reference' };
  const reply = await server.app.inject({ url: '/doc', headers });
  await server.close();
  return reply.json<ApiDocument>();
}

/** A route of the document. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Pages that people open from a link, and the receiver of webhooks, whose senders sign. */
const notCalledByClients: ReadonlySet<string> = new Set(['openAnswerLink', 'receiveWebhook', 'useAnswerLink']);

export function routesOf({ paths }: ApiDocument): readonly Route[] {
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .filter(({ operation }) => !notCalledByClients.has(operation.operationId));
}
