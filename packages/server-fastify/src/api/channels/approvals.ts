import { Type } from '@sinclair/typebox';
import { asOperator, type Caller } from '../../access/identity.ts';
import { defineChannel } from '../define/define-channel.ts';
import { listApprovals } from '../routes/approvals/approvals.ts';
import { ApprovalAnnouncer } from './approval-announcer.ts';
import { isPing, pong } from './ping.ts';
import { failureMessage } from './protocol.ts';

/**
 * Announces requests that wait for the caller, and those that no longer wait: of `GET /approvals`
 * with the console key, else of `GET /api/approvals`. A user also learns when a request of an own
 * conversation is settled that others answer.
 */
export const approvals = defineChannel({
  url: '/ws/approvals',
  tier: 'user-or-operator',
  isScoped: true,
  query: Type.Object({ console: Type.Optional(Type.Boolean()) }),
  open: (connection, { caller, query, readList, services }) => {
    const { agentServices, approvalChanges, limits, telemetry } = services;
    const reader = query.console === true ? byRole(caller) : caller;
    // A request ends with its outcome: its time is over a little earlier.
    const read = () => readList(() => listApprovals(services, reader, true));
    const options = { ...agentServices, pauseMs: limits.approvalsPauseMs };
    const announcer = new ApprovalAnnouncer(connection, read, options);
    const changed = (): void => announcer.changed();
    connection.onMessage((text) => {
      connection.send(isPing(text) ? pong : failureMessage('message must be {"type":"PING"}'));
    });
    connection.onClose(approvalChanges.watch(changed));
    if (telemetry !== undefined) connection.onClose(telemetry.subscribe(changed));
    announcer.start();
  },
});

/** The console shows what the roles of a user are for, and not what concerns the user. */
function byRole(caller: Caller): Caller {
  return caller.user !== undefined && caller.grants !== undefined ? asOperator(caller) : caller;
}
