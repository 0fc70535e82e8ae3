import { InvalidInputError } from '@halyard/contracts';
import { compileSchema } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { ownerForCaller } from '../../access/identity.ts';
import { type Connection, defineChannel } from '../define/define-channel.ts';
import { toLogFilter } from '../routes/logs/log-filter.ts';
import { LogQuery } from '../routes/logs/schemas.ts';
import { LogSubscription } from './log-subscription.ts';
import { closeCodes, failureMessage } from './protocol.ts';

const Message = Type.Object({
  type: Type.Literal('updateFilter'),
  // Times are checked like those of the query, which need no offset.
  filter: Type.Partial(Type.Object({ ...LogQuery.properties, since: Type.String(), until: Type.String() })),
});
const message = compileSchema(Message, 'a message to /ws/logs');

/** Sends the log of the server: earlier lines first, the oldest first, then new ones. */
export const logs = defineChannel({
  url: '/ws/logs',
  tier: 'console',
  query: LogQuery,
  open: (connection, { caller, query, services: { limits, agentServices, telemetry } }) => {
    const { pageBytes: maxBytes } = limits;
    const filter = acceptOr(connection, () => ({ ...toLogFilter(query, 'query'), maxBytes }));
    if (filter === undefined) {
      connection.close(closeCodes.notAcceptable, 'the query cannot be read');
      return;
    }
    const subscription = new LogSubscription(filter, {
      connection,
      telemetry,
      owner: ownerForCaller(caller),
      clock: agentServices.clock,
      onFailure: (error) =>
        agentServices.logger.error({ err: error, channel: '/ws/logs' }, 'the log could not be read'),
    });
    connection.onMessage((text) => {
      const changed = acceptOr(connection, () => ({ ...toLogFilter(toFilter(text), 'message/filter'), maxBytes }));
      if (changed !== undefined) subscription.change(changed);
    });
  },
});

/** @returns undefined for invalid input, after sending the client an error. */
function acceptOr<Value>(connection: Connection, read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    connection.send(failureMessage(error.message));
    return undefined;
  }
}

function toFilter(text: string): Partial<LogQuery> {
  const checked = message.validate(parsed(text), 'message');
  if (checked instanceof Promise) throw new InvalidInputError('message cannot be read');
  if (!checked.ok) throw new InvalidInputError(checked.message);
  return checked.value.filter;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvalidInputError('message is not valid JSON');
  }
}
