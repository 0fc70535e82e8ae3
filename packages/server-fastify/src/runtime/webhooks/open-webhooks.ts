import { type Clock, ConfigurationError, type EngineStorage, type Logger, type Storage } from '@halyard/contracts';
import type { WebhookEndpointConfig } from './webhook-options.ts';
import { WebhookSender } from './webhook-sender.ts';

interface WebhookServices {
  readonly storage: Storage | EngineStorage;
  /** Whether executions are in an engine. */
  readonly isEngine: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @throws ConfigurationError where the events of executions are not stored. */
export function openWebhooks(
  endpoints: readonly WebhookEndpointConfig[],
  { isEngine, storage, ...services }: WebhookServices,
): WebhookSender | undefined {
  if (endpoints.length === 0) return undefined;
  const { webhooks: store } = storage;
  if (store === undefined)
    throw new ConfigurationError('The option `webhooks` needs a storage with the port `webhooks`');
  if (isEngine)
    throw new ConfigurationError(
      'The option `webhooks` cannot be combined with `engine`: an engine stores no events with its executions',
    );
  return new WebhookSender(endpoints, { store, ...services });
}
