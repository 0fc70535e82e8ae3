import type { TSchema } from '@sinclair/typebox';
import type { FixedText } from '../../runtime/services/fixed-text.ts';
import type { Services } from '../services.ts';
import type { Call, Endpoint } from './define-route.ts';

/**
 * The reply of a page: text that is sent unchanged. A {@link FixedText} is compressed, and sent to
 * clients that do not have it.
 */
export interface PageReply {
  readonly status?: number;
  /** Of a failure, for the header `x-error-code`. */
  readonly code?: string;
  readonly body: string | FixedText;
}

/** A resource in a format of its own, such as a health check or an HTML document. */
export interface PageDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema = TSchema,
> extends Endpoint {
  readonly method: 'GET' | 'POST';
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** `form`: the body is that of an HTML form. */
  readonly accepts?: 'form';
  readonly contentType: string;
  /** Schema of the whole body, for the OpenAPI document. */
  readonly content: TSchema;
  /**
   * Further statuses with the same content as 200, and their descriptions. `failures` lists those
   * with the error envelope.
   */
  readonly alternatives?: Readonly<Record<number, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether its body is a {@link FixedText}, for the OpenAPI document. */
  readonly isFixed?: boolean;
  readonly handler: (call: Call<Params, Query, Body>, services: Services) => PageReply | Promise<PageReply>;
}

/**
 * An endpoint that replies without the envelope. With `GET` it is served during shutdown too, for
 * health checks.
 */
export interface Page extends Endpoint {
  readonly kind: 'page';
  readonly accepts?: 'form';
  readonly contentType: string;
  readonly content: TSchema;
  readonly alternatives: Readonly<Record<number, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly isFixed?: boolean;
  readonly handler: (call: Call<TSchema, TSchema, TSchema>, services: Services) => PageReply | Promise<PageReply>;
}

export function definePage<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: PageDefinition<Params, Query, Body>,
): Page {
  const { alternatives = {}, handler, headers = {} } = definition;
  return { ...definition, kind: 'page', alternatives, headers, handler: handler as Page['handler'] };
}
