import { ConfigurationError, InvalidInputError, type JsonValue } from '@halyard/contracts';
import type { Jsonify } from '../../json/jsonify.ts';
import { compileSchema } from '../../schema/compile-schema.ts';
import type { InferSchema, Schema } from '../../schema/schema.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { Step, StepOptions, StepOutput } from '../definition/step.ts';
import { isEventKey, isEventName, isReservedEventName } from '../engine/accept-event.ts';
import { askAuthor } from '../interpreter/step/ask-author.ts';
import { waitForEvent } from '../interpreter/step/wait-for-event.ts';

/** The publisher of the events that a step waits for. */
export type EventPublisher = 'server' | 'owner';

export interface WaitForEventOptions<
  In,
  S extends Schema | undefined,
  F extends Flow,
  Id extends string = string,
> extends StepOptions<Id> {
  /**
   * The name of the event: up to 100 letters, digits and `_ . : / -`. Not beginning with
   * `halyard.`.
   */
  readonly event: string;
  /**
   * Only events that were published with exactly this key are received: up to 200 characters, or a
   * function that returns them and is called once. Default: only events without a key.
   */
  readonly key?: string | ((context: DataContext<In, F>) => string | Promise<string>) | undefined;
  /**
   * Whose events are received. `server`: those that code of the app or an operator publishes.
   * `owner`: also those that the user of the execution publishes with a token at
   * `POST /workflows/events`. Default `server`.
   */
  readonly from?: EventPublisher | undefined;
  /** Schema of the payload. A payload that does not fit fails the step. */
  readonly schema?: S | undefined;
  /** How long to wait, in milliseconds. The output is then null. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** The output of a step that waits for an event: its payload, or null when none came in time. */
export type EventOutput<S extends Schema | undefined> = (S extends Schema ? Jsonify<InferSchema<S>> : JsonValue) | null;

/**
 * Waits until an event with this name and key is published, across restarts and with nothing in
 * memory. Events that were published after the execution was started and before the step began
 * count, too. An execution receives each event once.
 */
export function andWaitForEvent<
  In,
  S extends Schema | undefined = undefined,
  F extends Flow = Flow,
  Id extends string = string,
>(options: WaitForEventOptions<In, S, F, Id>): Step<In, EventOutput<S>, F, StepOutput<Id, EventOutput<S>>> {
  const { event, from = 'server', id, key, schema, timeoutMs } = options;
  const payload = schema === undefined ? undefined : compileSchema(schema, `the schema of step "${id}"`);
  const step = createStep<In, EventOutput<S>, F, StepOutput<Id, EventOutput<S>>>(
    'andWaitForEvent',
    { ...options, timeoutMs: undefined },
    {
      event: { name: event, from, timeoutMs },
      ...(payload !== undefined && { resumeSchema: payload }),
      run: (run, data) =>
        waitForEvent(run, {
          name: event,
          from,
          chooseKey: async () => {
            if (key === undefined) return null;
            const chosen = typeof key === 'string' ? key : await askAuthor(run, data, key);
            if (!isEventKey(chosen))
              throw new InvalidInputError('the key of an event must be a text of 1 to 200 characters');
            return chosen;
          },
          payload,
          timeoutMs,
        }),
    },
  );
  if (!isEventName(event))
    throw new ConfigurationError(
      `Step "${id}" waits for an event with an invalid name: use up to 100 letters, digits and _ . : / -`,
    );
  if (isReservedEventName(event))
    throw new ConfigurationError(
      `Step "${id}" waits for the event "${event}", which nobody can publish: names that begin with "halyard." are internal`,
    );
  if (!isPublisher(from))
    throw new ConfigurationError(`\`from\` of step "${id}" must be "server" or "owner", not ${JSON.stringify(from)}`);
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new ConfigurationError(`timeoutMs of step "${id}" must be greater than 0`);
  return step;
}

function isPublisher(from: unknown): from is EventPublisher {
  return from === 'server' || from === 'owner';
}
