import { InvalidInputError, type NewPublishedEvent } from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { acceptJson } from './accept-json.ts';
import { checkSizes } from './check-sizes.ts';

/** An event that is published for executions that wait for it. */
export interface EventToPublish {
  /** Up to 100 letters, digits and `_ . : / -`. Not beginning with `halyard.`. */
  readonly name: string;
  /**
   * Only executions that wait with this key receive it: up to 200 characters. Default: only
   * executions that wait without a key.
   */
  readonly key?: string | undefined;
  /** JSON. Default: null. */
  readonly payload?: unknown;
  /**
   * Up to 200 characters. A repeated call with the same id and owner publishes nothing. Default: a
   * new one.
   */
  readonly requestId?: string | undefined;
}

export interface PublishResult {
  readonly eventId: string;
  /**
   * How many executions waited for the event and have received it. Those that wait for it later are
   * not counted.
   */
  readonly delivered: number;
}

/** Events whose names begin with this are published by the runtime alone. */
const reservedPrefix = 'halyard.';

/** @throws InvalidInputError for a field that is not valid; `VALUE_TOO_LARGE` for the payload. */
export function acceptEvent(
  { key, name, payload = null, requestId }: EventToPublish,
  at: string,
  services: AgentServices,
): NewPublishedEvent {
  if (!isEventName(name)) throw new InvalidInputError(`${at}name must be up to 100 letters, digits and _ . : / -`);
  if (isReservedEventName(name))
    throw new InvalidInputError(`${at}name must not begin with "${reservedPrefix}": these events are internal`);
  if (key !== undefined && !isEventKey(key)) throw new InvalidInputError(`${at}key must have 1 to 200 characters`);
  if (requestId !== undefined && !isEventKey(requestId))
    throw new InvalidInputError(`${at}requestId must have 1 to 200 characters`);
  const json = acceptJson(payload, `${at}payload is`);
  checkSizes({ [`${at}payload`]: json }, services);
  const id = services.ids.next();
  return { id, name, key: key ?? null, payload: json, requestId: requestId ?? id };
}

export function isEventName(name: unknown): boolean {
  return typeof name === 'string' && /^[\w.:/-]{1,100}$/.test(name);
}

export function isReservedEventName(name: string): boolean {
  return name.startsWith(reservedPrefix);
}

export function isEventKey(key: unknown): boolean {
  return typeof key === 'string' && key.length >= 1 && key.length <= 200;
}
