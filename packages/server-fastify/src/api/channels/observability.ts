import { isoTime } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { ownerForCaller } from '../../access/identity.ts';
import { defineChannel } from '../define/define-channel.ts';
import { Id } from '../routes/common-schemas.ts';
import { EntityType } from '../routes/observability/schemas.ts';
import type { Services } from '../services.ts';
import { ChangeSender } from './change-sender.ts';
import { LiveTelemetry } from './live-telemetry.ts';
import { PacedSender } from './paced-sender.ts';
import { isPing, pong } from './ping.ts';
import { failureMessage } from './protocol.ts';

/**
 * Sends spans and log lines while they are recorded: all, or those of the traces that an agent,
 * workflow or tool started. With `changes=true`, only the fact that spans were recorded, at most
 * once a second: a page then reads its lists again.
 */
export const observability = defineChannel({
  url: '/ws/observability',
  tier: 'console',
  query: Type.Object({
    entityType: Type.Optional(EntityType),
    entityId: Type.Optional(Id),
    changes: Type.Optional(Type.Boolean()),
  }),
  open: (connection, { caller, query: { changes, entityId, entityType }, services }) => {
    const { limits, agentServices, telemetry } = services;
    const filter = { ...(entityType !== undefined && { entityType }), ...(entityId !== undefined && { entityId }) };
    const message = telemetry === undefined ? 'Nothing is recorded: the option `telemetry` is false' : 'Connected';
    const data = { message, timestamp: isoTime(agentServices.clock.now()), filter };
    connection.send(JSON.stringify({ type: 'CONNECTION_SUCCESS', success: true, data }));
    connection.onMessage((text) => {
      connection.send(isPing(text) ? pong : failureMessage('message must be {"type":"PING"}'));
    });
    if (telemetry === undefined) return;

    const watched = { owner: ownerForCaller(caller), filter };
    const live = createLive(telemetry, agentServices);
    if (changes === true) {
      const sender = new ChangeSender(connection, agentServices.clock);
      connection.onClose(live.watch({ ...watched, send: undefined, changed: () => sender.changed() }));
      return;
    }
    const sender = new PacedSender(connection, {
      bufferBytes: limits.webSocketBufferBytes,
      clock: agentServices.clock,
    });
    connection.onClose(live.watch({ ...watched, send: (texts) => sender.send(texts) }));
  },
});

const opened = new WeakMap<object, LiveTelemetry>();

/** One per telemetry: all its clients share the serialized messages. */
function createLive(telemetry: NonNullable<Services['telemetry']>, services: Services['agentServices']): LiveTelemetry {
  const known = opened.get(telemetry) ?? new LiveTelemetry(telemetry, services);
  opened.set(telemetry, known);
  return known;
}
