import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A process of the app that runs executions. */
export class WorkerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async start(ingress: string, port: number, directory: string): Promise<WorkerProcess> {
    const script = fileURLToPath(new URL('worker.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=@halyard/source', script, ingress, `${port}`, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ready = once(child.stdout, 'data');
    const exit = once(child, 'exit').then(() => Promise.reject(new Error('The worker has exited')));
    await Promise.race([ready, exit]);
    exit.catch(() => {});
    return new WorkerProcess(port, child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

/** The address of a deployment: each connection goes to the next worker that accepts it. */
export class LoadBalancer {
  readonly port: number;
  readonly #server: Server;
  readonly #ports: number[];

  private constructor(port: number, server: Server, ports: number[]) {
    this.port = port;
    this.#server = server;
    this.#ports = ports;
  }

  static async start(port: number, ports: readonly number[]): Promise<LoadBalancer> {
    const targets = [...ports];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      const next = (left: number): void => {
        const target = left > 0 ? targets.shift() : undefined;
        if (target === undefined) return void socket.destroy();
        targets.push(target);
        const upstream = connect(target, '127.0.0.1');
        const refused = (): void => next(left - 1);
        upstream.once('error', refused);
        upstream.once('connect', () => {
          // What fails from here on is the connection, and not the choice of its target.
          upstream.off('error', refused).on('error', () => {});
          socket.pipe(upstream).pipe(socket);
          upstream.once('close', () => socket.destroy());
          socket.once('close', () => upstream.destroy());
        });
      };
      next(targets.length);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new LoadBalancer(port, server, targets);
  }

  /** As a failed health check does. */
  leaveOut(port: number): void {
    this.#ports.splice(this.#ports.indexOf(port), 1);
  }

  /** As a health check that succeeds again does. */
  takeIn(port: number): void {
    this.#ports.push(port);
  }

  close(): void {
    this.#server.close();
  }
}
