import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Something in front of a server that looks at the parameters of new connections, as poolers do.
 */
export interface RefusingPooler {
  readonly connectionString: string;
  readonly close: () => Promise<void>;
}

interface RefusingPoolerOptions {
  /** Parameters that end the connection with an error. */
  readonly refused?: readonly string[] | undefined;
  /** Parameters that are not passed on to the server. */
  readonly ignored?: readonly string[] | undefined;
}

/** Length and version of the protocol. The parameters follow. */
const headBytes = 8;

/** @param target the connection string of the server behind it. */
export async function startRefusingPooler(
  target: string,
  { ignored = [], refused = [] }: RefusingPoolerOptions,
): Promise<RefusingPooler> {
  const sockets = new Set<Socket>();
  const upstream = new URL(target);
  const server = createServer((client) => {
    keep(client);
    let received = Buffer.alloc(0);
    client.on('data', function readStart(chunk: Buffer) {
      received = Buffer.concat([received, chunk]);
      if (received.length < headBytes || received.length < received.readInt32BE(0)) return;
      client.off('data', readStart);
      const parameters = readParameters(received);
      const name = refused.find((one) => parameters.has(one));
      if (name !== undefined) return void client.end(refusal(`unsupported startup parameter: ${name}`));
      for (const one of ignored) parameters.delete(one);
      const other = keep(connect(Number(upstream.port), upstream.hostname));
      client.on('close', () => other.destroy());
      other.on('close', () => client.destroy());
      other.write(startPacket(parameters));
      client.pipe(other).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = new URL(target);
  if (address !== null && typeof address === 'object') own.port = String(address.port);
  return {
    connectionString: own.href,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  }
}

function readParameters(packet: Buffer): Map<string, string> {
  const texts = packet.toString('utf8', headBytes, packet.readInt32BE(0)).split('\0');
  const parameters = new Map<string, string>();
  for (let index = 0; texts[index]; index += 2) parameters.set(texts[index] ?? '', texts[index + 1] ?? '');
  return parameters;
}

function startPacket(parameters: ReadonlyMap<string, string>): Buffer {
  const texts = Buffer.from(
    `${[...parameters]
      .flat()
      .map((text) => `${text}\0`)
      .join('')}\0`,
  );
  const head = Buffer.alloc(headBytes);
  head.writeInt32BE(headBytes + texts.length, 0);
  // Version 3.0 of the protocol.
  head.writeInt32BE(0x3_00_00, 4);
  return Buffer.concat([head, texts]);
}

/** An `ErrorResponse`. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E', 0);
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
