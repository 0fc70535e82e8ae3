import { AgentClient } from './agent-client.ts';
import type { AgentId, ToolName, ToolWith, WorkflowId, WorkflowWith } from './app-types.ts';
import { ApprovalsClient } from './approvals-client.ts';
import { AuditClient } from './audit-client.ts';
import { Channel, type ChannelMessages, type ChannelOptions } from './channel.ts';
import type { ClientOptions, FetchFunction } from './client-options.ts';
import { type Api, Connection } from './connection.ts';
import { ConversationsClient } from './conversations-client.ts';
import { ToolClient } from './tool-client.ts';
import { WorkflowClient } from './workflow-client.ts';

/** A client of one server. `App` is `typeof server`, or the type of the options of the plugin. */
export interface Client<App = unknown> {
  /** The address of the server, without a slash at the end. */
  readonly baseUrl: string;
  /** Every route of the HTTP API, typed. It throws the errors of the other methods. */
  readonly api: Api;
  /**
   * Sends a request with the credentials and the retries of the client. For other libraries, such
   * as a transport of the AI SDK.
   */
  readonly fetch: FetchFunction;
  readonly approvals: ApprovalsClient;
  readonly audit: AuditClient;
  readonly conversations: ConversationsClient;
  agent: <Id extends AgentId<App>>(id: Id) => AgentClient<Id>;
  workflow: <Id extends WorkflowId<App>>(id: Id) => WorkflowClient<WorkflowWith<App, Id>>;
  tool: <Name extends ToolName<App>>(name: Name) => ToolClient<ToolWith<App, Name>>;
  /** Live messages. In policy mode they need the console key, except `/ws/approvals`. */
  channel: <Path extends keyof ChannelMessages>(path: Path, options?: ChannelOptions) => Channel<ChannelMessages[Path]>;
}

/**
 * Creates a client. It opens no connection before its first request.
 *
 * With `createClient<typeof server>()` the compiler knows the ids and the types of the app. The
 * server is imported as a type only.
 */
export function createClient<App = unknown>(options: ClientOptions = {}): Client<App> {
  const connection = new Connection(options);
  return {
    baseUrl: connection.baseUrl,
    api: connection.api,
    fetch: (url, init) => connection.send(url, init),
    approvals: new ApprovalsClient(connection),
    audit: new AuditClient(connection),
    conversations: new ConversationsClient(connection),
    agent: (id) => new AgentClient(id, connection),
    workflow: (id) => new WorkflowClient(id, connection),
    tool: (name) => new ToolClient(name, connection),
    channel: (path, channelOptions = {}) => new Channel(connection, path, channelOptions),
  };
}
