import type { TSchema } from '@sinclair/typebox';
import type { Call, Endpoint } from './define-route.ts';
import type { Services } from './services.ts';

export interface ExchangeDefinition<Params extends TSchema> extends Endpoint {
  readonly params?: Params;
  readonly handler: (call: Call<Params, TSchema, TSchema>, services: Services) => Promise<Response>;
}

/**
 * An endpoint that speaks a protocol of its own: its statuses, headers and body are the handler's. What goes wrong before it is asked, and
 * what it throws, is answered with the error envelope. The document of the API does not name it.
 */
export interface Exchange extends Endpoint {
  readonly kind: 'exchange';
  readonly handler: (call: Call<TSchema, TSchema, TSchema>, services: Services) => Promise<Response>;
}

export function defineExchange<Params extends TSchema>(definition: ExchangeDefinition<Params>): Exchange {
  return { ...definition, kind: 'exchange', handler: definition.handler as Exchange['handler'] };
}
