import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { runResult, type RunRequest, sseHeaders, success, workflowFrames } from './contract.ts';
import { addOne, type Count, workflowId, workflowSteps } from './workload.ts';

/** The workflow without a framework: five function calls, nothing is recorded. */
export function servePlainWorkflow(app: FastifyInstance): void {
  app.post<{ Body: RunRequest }>(`/workflows/${workflowId}/execute`, async (request) => {
    const outputs = await run(request.body.input);
    return success(runResult(randomUUID(), new Date().toISOString(), outputs.at(-1) ?? request.body.input));
  });

  app.post<{ Body: RunRequest }>(`/workflows/${workflowId}/stream`, async (request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, sseHeaders);
    const outputs = await run(request.body.input);
    for (const frame of workflowFrames(randomUUID(), new Date().toISOString(), outputs)) reply.raw.write(frame);
    reply.raw.end();
  });
}

async function run(input: Count): Promise<Count[]> {
  const outputs: Count[] = [];
  let data = input;
  for (const _ of workflowSteps) {
    data = await Promise.resolve(addOne(data));
    outputs.push(data);
  }
  return outputs;
}
