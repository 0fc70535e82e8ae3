import { counter, gauge, histogram } from './metric-definition.ts';

/**
 * As the semantic conventions recommend for `http.server.request.duration`, and further ones for
 * streams.
 */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120];
/** As they recommend for `gen_ai.client.inference.duration` and `gen_ai.execute_tool.duration`. */
const callSeconds = doubling(0.01, 14);
/** As they recommend for `gen_ai.invoke_agent.duration`. */
const agentSeconds = doubling(0.1, 13);
/**
 * As they recommend for `gen_ai.invoke_agent.inference_calls` and `gen_ai.invoke_agent.tool_calls`.
 */
const calls = doubling(1, 8);

const agentAttributes = ['gen_ai.agent.id', 'gen_ai.agent.name'];
const modelAttributes = ['gen_ai.agent.id', 'gen_ai.provider.name', 'gen_ai.request.model'];
const tokenAttributes = [...modelAttributes, 'gen_ai.token.modality'];
const poolName = 'db.client.connection.pool.name';

/**
 * The metrics of a server. Names and units follow OpenTelemetry's semantic conventions where these
 * define them; Halyard's own begin with `halyard`.
 *
 * No attribute has a value that a caller chooses: routes are patterns, ids are those of registered
 * agents, tools and workflows.
 */
export const definitions = {
  requestDuration: histogram(
    'http.server.request.duration',
    's',
    'Requests, from their headers to the end of the reply',
    {
      attributes: ['http.request.method', 'http.route', 'http.response.status_code'],
      boundaries: requestSeconds,
    },
  ),
  activeRequests: gauge(
    'http.server.active_requests',
    '{request}',
    'Requests that handlers are answering, streams included',
  ),
  rejectedRequests: counter(
    'halyard.http.rejected_requests',
    '{request}',
    'Requests that were answered with 429 or 503',
    ['http.response.status_code', 'reason'],
  ),
  openStreams: gauge('halyard.streams.open', '{stream}', 'Open streams of server-sent events'),
  openWebSockets: gauge('halyard.websockets.open', '{connection}', 'Open WebSockets'),

  agentRuns: histogram('gen_ai.invoke_agent.duration', 's', 'Runs of agents, sub-agents included', {
    attributes: [...agentAttributes, 'operation', 'status'],
    boundaries: agentSeconds,
  }),
  inferenceCalls: histogram('gen_ai.invoke_agent.inference_calls', '{inference_call}', 'Model calls of one run', {
    attributes: agentAttributes,
    boundaries: calls,
  }),
  agentToolCalls: histogram('gen_ai.invoke_agent.tool_calls', '{tool_call}', 'Tool calls of one run', {
    attributes: agentAttributes,
    boundaries: calls,
  }),
  modelCalls: histogram('gen_ai.client.inference.duration', 's', 'Calls of models, with their retries', {
    attributes: [...modelAttributes, 'status'],
    boundaries: callSeconds,
  }),
  inputTokens: counter(
    'gen_ai.client.inference.usage.input_tokens',
    '{token}',
    'Input tokens, those of the cache included',
    tokenAttributes,
  ),
  cacheReadTokens: counter(
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    '{token}',
    'Input tokens that the provider has read from its cache',
    tokenAttributes,
  ),
  cacheWriteTokens: counter(
    'gen_ai.client.inference.usage.cache_write.input_tokens',
    '{token}',
    'Input tokens that the provider has written to its cache',
    tokenAttributes,
  ),
  outputTokens: counter(
    'gen_ai.client.inference.usage.output_tokens',
    '{token}',
    'Output tokens, those for reasoning included',
    tokenAttributes,
  ),
  reasoningTokens: counter(
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    '{token}',
    'Output tokens that the model has used for reasoning',
    tokenAttributes,
  ),
  toolCalls: histogram('gen_ai.execute_tool.duration', 's', 'Calls of tools', {
    attributes: ['gen_ai.tool.name', 'status'],
    boundaries: callSeconds,
  }),

  workflowRuns: histogram(
    'halyard.workflow.run.duration',
    's',
    'Runs of executions in this process, without the time in which they waited',
    {
      attributes: ['workflow.id', 'status'],
      boundaries: callSeconds,
    },
  ),
  runningExecutions: gauge(
    'halyard.executions.running',
    '{execution}',
    'Executions that run in this process, which holds their leases',
  ),
  dueExecutions: gauge(
    'halyard.executions.due',
    '{execution}',
    'Executions that were due when this process last looked and that no process had claimed; 1 000 at most',
  ),
  oldestDue: gauge('halyard.executions.oldest_due.age', 's', 'How long the oldest of them has been due'),
  lostExecutions: counter(
    'halyard.executions.lost',
    '{execution}',
    'Executions whose lease this process has lost while it ran them',
    ['workflow.id'],
  ),
  quarantinedExecutions: counter(
    'halyard.executions.quarantined',
    '{execution}',
    'Executions that this process has quarantined',
    ['workflow.id'],
  ),

  connections: gauge('db.client.connection.count', '{connection}', 'Open connections of the pool of the storage', [
    poolName,
    'db.client.connection.state',
  ]),
  maxConnections: gauge('db.client.connection.max', '{connection}', 'The most connections that may be open', [
    poolName,
  ]),
  waitingForConnection: gauge(
    'db.client.connection.pending_requests',
    '{request}',
    'Calls that wait for a connection',
    [poolName],
  ),

  eventLoopDelayP50: gauge(
    'nodejs.eventloop.delay.p50',
    's',
    'Median of the delay of the event loop, in the last 10 seconds or since the scrape before',
  ),
  eventLoopDelayP99: gauge('nodejs.eventloop.delay.p99', 's', '99th percentile of the same'),
  eventLoopUtilization: gauge(
    'nodejs.eventloop.utilization',
    '1',
    'Share of the same time in which the event loop was busy',
  ),
  cpuTime: counter('process.cpu.time', 's', 'CPU time of the process', ['cpu.mode']),
  residentMemory: gauge('process.memory.usage', 'By', 'Resident memory of the process'),
  usedHeap: gauge('v8js.memory.heap.used', 'By', 'Used part of the JavaScript heap'),
  heapLimit: gauge('v8js.memory.heap.limit', 'By', 'Greatest size of the JavaScript heap'),
  uptime: gauge('process.uptime', 's', 'Time since the process started'),
} as const;

/** `0.1` and 12 further values: `0.1`, `0.2`, …, `409.6`. */
function doubling(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, power) => first * 2 ** power);
}
