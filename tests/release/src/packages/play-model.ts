import type { OpenaiWire } from '@halyard/test-providers/wire';

/**
 * Plays the model of the documents' samples: it looks up order 17 or the distance to Lisbon if it
 * is offered the tool for this and asked for it, and otherwise answers with everything that it has
 * received. An answer therefore shows whether the tool ran, and whether the memory was read.
 */
export function playModel(wire: OpenaiWire): void {
  wire.replyAlways(({ body }) => {
    const received = JSON.stringify(body['input'] ?? null);
    const offered = JSON.stringify(body['tools'] ?? []);
    if (offered.includes('"orderStatus"') && !received.includes('"function_call_output"')) {
      return { toolCalls: [{ name: 'orderStatus', input: { orderId: '17' } }] };
    }
    if (
      offered.includes('"distance"') &&
      received.includes('How far') &&
      !received.includes('"function_call_output"')
    ) {
      return { toolCalls: [{ name: 'distance', input: { harbour: 'Lisbon' } }] };
    }
    return { text: received };
  });
}
