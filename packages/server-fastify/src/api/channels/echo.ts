import { actorForCaller } from '../../access/identity.ts';
import { defineChannel } from '../define/define-channel.ts';
import { failureMessage } from './protocol.ts';

/** Reports that the connection works and who the user is, then sends back each message. */
export const echo = defineChannel({
  url: '/ws',
  tier: 'console',
  open: (connection, { caller, services }) => {
    const userId = actorForCaller(caller);
    connection.send(
      JSON.stringify({
        type: 'CONNECTION_TEST',
        success: true,
        data: {
          message: 'The connection works',
          timestamp: new Date(services.agentServices.clock.now()).toISOString(),
          authenticated: userId !== undefined || caller.hasConsoleAccess === true,
          ...(userId !== undefined && { userId }),
        },
      }),
    );
    connection.onMessage((text) => {
      // Not serialized again: large numbers would lose digits, and deep values would overflow the
      // stack.
      connection.send(
        isJson(text) ? `{"type":"ECHO","success":true,"data":${text}}` : failureMessage('message is not valid JSON'),
      );
    });
  },
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
