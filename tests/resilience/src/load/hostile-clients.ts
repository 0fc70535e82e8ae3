/**
 * Connections that send hostile schemas one after the other until they are told to stop, in a
 * process of their own.
 */
import { Agent, request } from 'node:http';
import { hostileRequests } from './hostile-schemas.ts';

/** `credentials` are headers as JSON. Without them, each user has a token of their name. */
const [origin = '', connections = '1', users = '1', agentId = 'objective', credentials] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const statuses: Record<string, number> = {};

for (let index = 0; index < Number(connections); index += 1)
  void sendForever(index, `attacker-${index % Number(users)}`);
process.send?.('started');
process.on('message', () => process.send?.(statuses, () => process.exit(0)));

async function sendForever(index: number, user: string): Promise<never> {
  for (let round = index; ; round += 1) {
    const made = hostileRequests[round % hostileRequests.length]?.();
    const status = await post(user, JSON.stringify({ input: JSON.stringify(made?.answer), schema: made?.schema }));
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

/** @returns the status, or `INTERNAL` for an error that the server did not expect. */
function post(user: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(credentials === undefined
        ? { authorization: `Bearer ${user}` }
        : (JSON.parse(credentials) as Record<string, string>)),
    };
    const sent = request(`${origin}/agents/${agentId}/object`, { method: 'POST', agent, headers }, (response) => {
      const { headers: received, statusCode = 0 } = response;
      const isInternal = received['x-error-code'] === 'INTERNAL';
      response.resume().once('end', () => resolve(isInternal ? 'INTERNAL' : String(statusCode)));
    });
    sent.once('error', reject).end(body);
  });
}
