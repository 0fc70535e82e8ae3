import type { JsonValue } from '../json.ts';
import type { AwaitedEvent } from './execution.ts';

/** An event from outside, for the executions that wait for its name and key. */
export interface NewPublishedEvent extends Omit<AwaitedEvent, 'from'> {
  readonly id: string;
  readonly payload: JsonValue;
  /** Identifies the call when it is repeated. Unique among the events of its publisher. */
  readonly requestId: string;
}

/** An execution that has received an event. */
export interface EventDelivery {
  /** The id of the root. */
  readonly executionId: string;
  readonly workflowId: string;
}

export interface Publication {
  readonly eventId: string;
  /** The executions that waited for the event. Those that wait for it later are not included. */
  readonly deliveries: readonly EventDelivery[];
}
