import { type Context, serde } from '@restatedev/restate-sdk';
import { toKey } from './object-key.ts';
import {
  type ChannelHandlers,
  type ExecutionHandlers,
  type KeyHandlers,
  type ListsHandlers,
  names,
  type RunnerHandlers,
} from './protocol.ts';

interface Objects {
  readonly execution: ExecutionHandlers;
  readonly runner: RunnerHandlers;
  readonly key: KeyHandlers;
  readonly channel: ChannelHandlers;
  readonly lists: ListsHandlers;
}

export type ObjectName = keyof Objects;
export type HandlerName<Name extends ObjectName> = keyof Objects[Name] & string;
export type InputOf<Name extends ObjectName, Method extends HandlerName<Name>> = Objects[Name][Method] extends (
  input: infer Input,
) => unknown
  ? Input
  : never;
export type OutputOf<Name extends ObjectName, Method extends HandlerName<Name>> = Objects[Name][Method] extends (
  ...input: never
) => Promise<infer Output>
  ? Output
  : never;

/** Calls another object and waits for its answer, also after a restart. */
export function call<Name extends ObjectName, Method extends HandlerName<Name>>(
  ctx: Context,
  name: Name,
  key: string,
  method: Method,
  parameter: InputOf<Name, Method>,
): Promise<OutputOf<Name, Method>> {
  return ctx.genericCall<InputOf<Name, Method>, OutputOf<Name, Method>>({
    service: names[name],
    key: toKey(key),
    method,
    parameter,
    inputSerde: serde.json,
    outputSerde: serde.json,
  });
}

/** Calls another object later, in any case, and does not wait. */
export function send<Name extends ObjectName, Method extends HandlerName<Name>>(
  ctx: Context,
  name: Name,
  key: string,
  method: Method,
  parameter: InputOf<Name, Method>,
  delayMs: number = 0,
): void {
  ctx.genericSend<InputOf<Name, Method>>({
    service: names[name],
    key: toKey(key),
    method,
    parameter,
    inputSerde: serde.json,
    ...(delayMs > 0 && { delay: delayMs }),
  });
}
