import { type Static, Type } from '@sinclair/typebox';

/** More events than an execution has; no storage need count further. */
const greatestSeq = 2 ** 31 - 1;

const seq = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: greatestSeq, description }));

/** Where a client that attaches goes on: after this event. */
export const StreamPosition = Type.Object({ from: seq('`seq` of the last event that is known. Default: all events.') });
export type StreamPosition = Static<typeof StreamPosition>;

/** What browsers send when they connect again; it counts before `from`. */
export const LastEventId = Type.Object({ 'last-event-id': seq('`id` of the last event that came.') });
export type LastEventId = Static<typeof LastEventId>;
