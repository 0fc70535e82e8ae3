import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Report } from './server-process.ts';

export interface LoadServer {
  report(): Promise<Report>;
  readonly port: number;
  /** A socket that has asked for a stream and reads nothing yet. */
  openStream(agentId?: 'endless' | 'chatty'): Socket;
  close(): Promise<void>;
}

const body = JSON.stringify({ input: 'go on' });

export async function openServer(): Promise<LoadServer> {
  const child: ChildProcess = fork(fileURLToPath(new URL('server-process.ts', import.meta.url)), {
    // A young generation of fixed size: its growth under load would be taken for memory of the
    // clients.
    execArgv: ['--conditions=@halyard/source', '--expose-gc', '--max-semi-space-size=4'],
  });
  const [url] = (await once(child, 'message')) as [string];
  const port = Number(new URL(url).port);
  return {
    port,
    async report() {
      child.send('report');
      const [report] = (await once(child, 'message')) as [Report];
      return report;
    },
    openStream(agentId = 'endless') {
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      socket.write(
        `POST /agents/${agentId}/stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    },
    async close() {
      const exited = once(child, 'exit');
      child.send('close');
      await exited;
    },
  };
}
