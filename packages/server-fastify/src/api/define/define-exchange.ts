import type { TSchema } from '@sinclair/typebox';
import type { Services } from '../services.ts';
import type { Call, Endpoint } from './define-route.ts';

export interface ExchangeDefinition<Params extends TSchema> extends Endpoint {
  readonly params?: Params;
  readonly handler: (call: Call<Params, TSchema, TSchema>, services: Services) => Promise<Response>;
}

/**
 * An endpoint with another protocol, such as MCP: the handler decides on status, headers and body.
 * Errors that the handler throws, and errors before it is called, get the error envelope. The
 * OpenAPI document omits it.
 */
export interface Exchange extends Endpoint {
  readonly kind: 'exchange';
  readonly handler: (call: Call<TSchema, TSchema, TSchema>, services: Services) => Promise<Response>;
}

export function defineExchange<Params extends TSchema>(definition: ExchangeDefinition<Params>): Exchange {
  return { ...definition, kind: 'exchange', handler: definition.handler as Exchange['handler'] };
}
