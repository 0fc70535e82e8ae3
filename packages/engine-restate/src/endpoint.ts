import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ExecutionMirror, Logger } from '@halyard/contracts';
import {
  createEndpointHandler,
  handlers,
  type LoggerTransport,
  object,
  type ObjectContext,
  type ObjectHandlerOpts,
  type ObjectSharedContext,
  serde,
} from '@restatedev/restate-sdk';
import type { Deliveries } from './deliveries.ts';
import type { IngressClient } from './ingress-client.ts';
import { ChannelObject } from './objects/channel-object.ts';
import type { EngineClock } from './objects/engine-clock.ts';
import { ExecutionObject } from './objects/execution-object.ts';
import { ExecutionReader } from './objects/execution-reader.ts';
import { KeyObject } from './objects/key-object.ts';
import { ListsObject } from './objects/lists-object.ts';
import { names } from './objects/protocol.ts';
import { RunnerObject } from './objects/runner-object.ts';

/**
 * A step may take days, and Restate sees nothing of it: a run ends when its process or the
 * connection ends, which keep-alive messages find out, and not because nothing was sent.
 */
const runnerOptions = { inactivityTimeout: { days: 365 }, abortTimeout: { days: 365 } };

const options = {
  // A repeated call of a client arrives within seconds.
  idempotencyRetention: { minutes: 10 },
  // The history of an execution is its journal, not that of its calls.
  journalRetention: 0,
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 2,
    // While no worker can be reached, as in a deployment, executions wait no longer than this.
    maxInterval: { seconds: 5 },
    // Years: giving up would leave executions that nothing continues.
    maxAttempts: 100_000_000,
  },
};

export interface EndpointOptions {
  readonly port: number;
  readonly host: string | undefined;
  readonly identityKeys: readonly string[] | undefined;
  readonly clock: EngineClock;
  readonly logger: Logger;
  readonly client: IngressClient;
  readonly deliveries: Deliveries;
  readonly mirror: ExecutionMirror;
}

/** Where Restate calls this process. */
export class Endpoint {
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  private constructor(server: Http2Server) {
    this.#server = server;
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
  }

  static async open(settings: EndpointOptions): Promise<Endpoint> {
    const { host, identityKeys, logger, port } = settings;
    const handler = createEndpointHandler({
      services: servicesOf(settings),
      bidirectional: true,
      logger: transportTo(logger),
      ...(identityKeys !== undefined && { identityKeys: [...identityKeys] }),
    });
    const endpoint = new Endpoint(createServer(handler));
    endpoint.#server.listen(port, host);
    await once(endpoint.#server, 'listening');
    return endpoint;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Restate calls other processes for what has not ended. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const session of this.#sessions) session.destroy();
    await closed;
  }
}

function servicesOf({ client, clock, deliveries, mirror }: EndpointOptions) {
  const [execution, reader] = [new ExecutionObject(clock), new ExecutionReader()];
  const [key, channel] = [new KeyObject(), new ChannelObject(clock)];
  const [runner, lists] = [new RunnerObject(deliveries), new ListsObject(mirror, client)];
  return [
    object({
      name: names.execution,
      options: { ...options, enableLazyState: true },
      handlers: {
        create: change(execution.create.bind(execution)),
        // It reads everything.
        claim: change(execution.claim.bind(execution), { enableLazyState: false }),
        listen: change(execution.listen.bind(execution)),
        left: change(execution.left.bind(execution)),
        commit: change(execution.commit.bind(execution)),
        resume: change(execution.resume.bind(execution)),
        request: change(execution.request.bind(execution)),
        rewind: change(execution.rewind.bind(execution), { enableLazyState: false }),
        quarantine: change(execution.quarantine.bind(execution)),
        terminate: change(execution.terminate.bind(execution)),
        replace: change(execution.replace.bind(execution)),
        receive: change(execution.receive.bind(execution)),
        wake: change(execution.wake.bind(execution)),
        reserve: change(execution.reserve.bind(execution)),
        release: change(execution.release.bind(execution)),
        remove: change(execution.remove.bind(execution)),
        row: change(reader.row.bind(reader)),
        supersede: read(reader.supersede.bind(reader)),
        find: read(reader.find.bind(reader)),
        journal: read(reader.journal.bind(reader), { enableLazyState: false }),
        events: read(reader.events.bind(reader)),
        children: read(reader.children.bind(reader)),
        version: read(reader.version.bind(reader)),
      },
    }),
    object({
      name: names.runner,
      options: { ...options, ...runnerOptions },
      handlers: { run: change(runner.run.bind(runner)) },
    }),
    object({
      name: names.key,
      options,
      handlers: {
        take: change(key.take.bind(key)),
        free: change(key.free.bind(key)),
        enter: change(key.enter.bind(key)),
        leave: change(key.leave.bind(key)),
        before: change(key.before.bind(key)),
        throttle: change(key.throttle.bind(key)),
      },
    }),
    object({
      name: names.channel,
      options: { ...options, enableLazyState: true },
      handlers: {
        publish: change(channel.publish.bind(channel)),
        wait: change(channel.wait.bind(channel)),
        expire: change(channel.expire.bind(channel)),
      },
    }),
    object({ name: names.lists, options, handlers: { write: change(lists.write.bind(lists)) } }),
  ];
}

/** Restate runs one of these of an object at a time. */
function change<Input, Output>(
  handler: (ctx: ObjectContext, input: Input) => Promise<Output>,
  handlerOptions: ObjectHandlerOpts<Input, Output> = {},
) {
  return handlers.object.exclusive<Output, Input>({ ...handlerOptions, serde: serde.json }, handler);
}

function read<Input, Output>(
  handler: (ctx: ObjectSharedContext, input: Input) => Promise<Output>,
  handlerOptions: ObjectHandlerOpts<Input, Output> = {},
) {
  return handlers.object.shared<Output, Input>({ ...handlerOptions, serde: serde.json }, handler);
}

/** Without the messages of each call. */
function transportTo(logger: Logger): LoggerTransport {
  return ({ context, level, replaying }, message, ...details) => {
    // The SDK exports the type of the level, not its values.
    const name: string = level;
    if (replaying || !['warn', 'error'].includes(name.toLowerCase())) return;
    const target = context?.invocationTarget;
    const err = details.find((detail) => detail instanceof Error);
    logger.warn({ target, ...(err !== undefined && { err }) }, `Restate: ${String(message).trim()}`);
  };
}
