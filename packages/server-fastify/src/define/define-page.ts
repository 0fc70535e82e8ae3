import type { TSchema } from '@sinclair/typebox';
import type { Call, Endpoint } from './define-route.ts';
import type { Services } from './services.ts';

/** What a page answers: text that is sent as it is. */
export interface PageAnswer {
  readonly status?: number;
  readonly body: string;
}

/** A page that a client asks for by its own conventions: a health check, an HTML document. */
export interface PageDefinition<Params extends TSchema, Query extends TSchema> extends Endpoint {
  readonly method: 'GET';
  readonly params?: Params;
  readonly query?: Query;
  readonly contentType: string;
  /** Schema of the whole body, for the document. */
  readonly content: TSchema;
  /** Statuses that have the same content as 200; `failures` are those that answer with the error envelope. */
  readonly alternatives?: Readonly<Record<number, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly handler: (call: Call<Params, Query, TSchema>, services: Services) => PageAnswer | Promise<PageAnswer>;
}

/** An endpoint that answers without the envelope. It is served while the server drains: health checks ask then. */
export interface Page extends Endpoint {
  readonly kind: 'page';
  readonly contentType: string;
  readonly content: TSchema;
  readonly alternatives: Readonly<Record<number, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly handler: (call: Call<TSchema, TSchema, TSchema>, services: Services) => PageAnswer | Promise<PageAnswer>;
}

export function definePage<Params extends TSchema, Query extends TSchema>(
  definition: PageDefinition<Params, Query>,
): Page {
  const { alternatives = {}, handler, headers = {} } = definition;
  return { ...definition, kind: 'page', alternatives, headers, handler: handler as Page['handler'] };
}
