import { subjectOf } from '../access/identity.ts';
import { defineChannel } from '../define/define-channel.ts';
import { failureMessage } from './failure-message.ts';

/** Tells clients that they are connected, and as whom; then gives back what they send. */
export const echo = defineChannel({
  url: '/ws',
  tier: 'console',
  open: (connection, { caller, services }) => {
    const userId = subjectOf(caller);
    connection.send(
      JSON.stringify({
        type: 'CONNECTION_TEST',
        success: true,
        data: {
          message: 'The connection works',
          timestamp: new Date(services.run.clock.now()).toISOString(),
          authenticated: userId !== undefined,
          ...(userId !== undefined && { userId }),
        },
      }),
    );
    connection.onMessage((text) => {
      // As it was sent: written anew it could lose digits, or be too deep to be written at all.
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
