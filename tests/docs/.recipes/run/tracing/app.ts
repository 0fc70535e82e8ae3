import { openai } from '@ai-sdk/openai';
import { Agent, createTool } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';
import { openTelemetry } from '@halyard/telemetry';
import { trace } from '@opentelemetry/api';
import { Type } from '@sinclair/typebox';

const tracer = trace.getTracer('shop');

const findOrder = createTool({
  name: 'findOrder',
  description: 'Finds an order',
  input: Type.Object({ orderId: Type.String() }),
  execute: ({ orderId }) =>
    // A span of your own is a child of the tool's span.
    tracer.startActiveSpan('query orders', (span) => {
      span.setAttribute('order.id', orderId);
      span.end();
      return { orderId, status: 'shipped' };
    }),
});
const support = new Agent({ id: 'support', model: openai('gpt-5-mini'), tools: [findOrder] });

const server = await createServer({
  agents: [support],
  // Prompts and answers can contain personal data: they stay out of the collector, and out of the server's own store.
  telemetry: { recorder: openTelemetry(), recordContent: false },
});
await server.listen();
